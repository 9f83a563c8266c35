import { copyFile, cp, mkdir, readdir, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createMember } from "./create-member.js";

const root = resolve(import.meta.dirname, "..");

/** A member of each family to try the scaffold with: the words for `pnpm new`, its folder, and the name of its test. */
export const sampleMembers = [
  ["assertion", "scaffold_sample", "packages/core/src/assertions/scaffold-sample", "scaffold-sample.test.ts"],
  ["reporter", "scaffold-sample", "packages/core/src/reporters/scaffold-sample", "scaffold-sample-reporter.test.ts"],
  ["provider", "scaffold-sample", "packages/core/src/providers/scaffold-sample", "scaffold-sample-provider.test.ts"],
  ["gate", "scaffold_sample", "packages/core/src/gates/scaffold-sample", "scaffold-sample.test.ts"],
  ["command", "scaffold-sample", "packages/cli/src/commands/scaffold-sample", "scaffold-sample-command.test.ts"],
];

const families = sampleMembers.map(([, , member]) => dirname(member));

/** Whose files are copied: those that read the registries, and what helps the tests of members. All else is linked. */
const copied = new Set([
  ...families,
  "packages/core/src/__fixtures__",
  "packages/cli/src/__fixtures__",
  "test/providers",
  // From where the command line finds its commands.
  "packages/cli/src",
  "packages/cli/src/arguments",
]);

/** Makes a repository of copies and links in a folder, and scaffolds the sample members there. */
export async function scaffoldSamples(folder) {
  for (const name of ["packages", "test"]) await copyFolder(name, folder);
  for (const name of ["node_modules", "scripts", "package.json", "tsconfig.base.json"]) {
    await symlink(join(root, name), join(folder, name));
  }
  for (const [family, name] of sampleMembers) await createMember([family, name], folder);
}

async function copyFolder(path, to) {
  await mkdir(join(to, path), { recursive: true });
  for (const entry of await readdir(join(root, path), { withFileTypes: true })) {
    const below = join(path, entry.name);
    const isCopied = entry.isFile() && copied.has(sourceOf(path));
    if (isParted(below)) await copyFolder(below, to);
    else if (!isCopied) await symlink(join(root, below), join(to, below));
    // What is compiled of a copied source knows nothing of the samples.
    else if (path === sourceOf(path) && !below.endsWith(".test.ts")) await copyFile(join(root, below), join(to, below));
  }
}

const sourceOf = (path) => path.replace(/^(packages\/\w+)\/build\b/, "$1/src");

const isParted = (path) => [...copied].some((folder) => `${folder}/`.startsWith(`${sourceOf(path)}/`));

/** Copies nothing but the sample members, their registries and what helps tests from a folder into another. */
export async function copySamples(from, to) {
  const besides = ["core", "cli"].flatMap((name) =>
    ["package.json", "src/__fixtures__"].map((path) => `packages/${name}/${path}`),
  );
  const members = sampleMembers.flatMap(([, , member]) => [member, join(dirname(member), "registry.ts")]);
  for (const path of ["package.json", ...besides, ...members]) {
    await cp(join(from, path), join(to, path), { recursive: true });
  }
  await symlink(join(root, "test"), join(to, "test"));
  await linkModules(to);
}

async function linkModules(folder) {
  for (const name of ["node_modules", "packages/core/node_modules", "packages/cli/node_modules"]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await symlink(join(root, name), join(folder, name));
  }
}
