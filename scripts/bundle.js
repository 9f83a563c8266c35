import { existsSync } from "node:fs";
import { readFile, rm, writeFile, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

/**
 * Makes `dist` of both packages from what tsc wrote into `build`. Loading a few hundred small modules, and libraries
 * that are larger than what is used of them, is most of the start-up time; in one piece they load in a fraction of it.
 * Libraries in `dependencies` stay outside: they are loaded when they are first used. Those in `devDependencies` that
 * the code imports are taken in, with their licences.
 */
const root = resolve(import.meta.dirname, "..");

/** ajv is CommonJS and loaded at first use by `require`; without the local one the bundler can follow the calls. */
const followRequire = {
  name: "follow-require",
  transform(code, id) {
    const line = "const require = createRequire(import.meta.url);";
    return id.endsWith("create-ajv.js") ? code.replace(line, "") : null;
  },
};

async function bundle(name, entry) {
  const folder = join(root, "packages", name);
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const outside = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const build = await rolldown({
    input: join(folder, "build", entry),
    platform: "node",
    external: (id) =>
      id.startsWith("node:") || outside.some((library) => id === library || id.startsWith(`${library}/`)),
    plugins: [followRequire],
    checks: { ineffectiveDynamicImport: false },
  });
  const dist = join(folder, "dist");
  for (const file of existsSync(dist) ? await readdir(dist) : []) {
    if (file.endsWith(".js")) await rm(join(dist, file));
  }
  const { output } = await build.write({ dir: dist, format: "esm", minify: { compress: true, mangle: false } });
  await build.close();
  const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
  await writeFile(join(dist, "THIRD-PARTY-NOTICES.md"), await renderNotices(modules));
}

/** The licences of the libraries that were taken in, as they ask for. */
async function renderNotices(modules) {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const notices = [];
  for (const folder of [...folders].toSorted((a, b) => a.localeCompare(b))) {
    const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? `Licence: ${license}` : (await readFile(join(folder, file), "utf8")).trim();
    notices.push(`## ${name} ${version}\n\n${text}\n`);
  }
  return `# Third-party notices\n\nThis package contains code of the following libraries.\n\n${notices.join("\n")}`;
}

await bundle("core", "index.js");
await bundle("cli", "bin.js");
