import { readFile, readdir, writeFile } from "node:fs/promises";

/**
 * Examples name the packages by version, as their users install them. They are outside of the workspace, so changesets
 * does not know them: this writes the version of the packages into them.
 */
const packages = new Map(
  await Promise.all(
    ["cli", "core", "vitest"].map(async (name) => {
      const { version } = JSON.parse(await readFile(`packages/${name}/package.json`, "utf8"));
      return [`@kindlm/${name}`, version];
    }),
  ),
);

for (const entry of await readdir("examples", { withFileTypes: true })) {
  if (!entry.isDirectory()) continue;
  const path = `examples/${entry.name}/package.json`;
  const before = await readFile(path, "utf8");
  const after = before.replaceAll(/"(@kindlm\/\w+)": "\^[^"]*"/g, (range, name) =>
    packages.has(name) ? `"${name}": "^${packages.get(name)}"` : range,
  );
  if (after !== before) await writeFile(path, after);
}
