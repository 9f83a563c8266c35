import { cp, mkdir, symlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
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

/** Copies all sources but their tests into a folder, with what they import, and scaffolds the sample members there. */
export async function scaffoldSamples(folder) {
  for (const name of ["packages", "scripts", "test", "package.json", "tsconfig.base.json"]) {
    await cp(join(root, name), join(folder, name), { recursive: true, filter: isSource });
  }
  await symlink(join(root, "packages/core/dist"), join(folder, "packages/core/dist"));
  await linkModules(folder);
  for (const [family, name] of sampleMembers) await createMember([family, name], folder);
}

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

const isSource = (path) => !["node_modules", "dist", "build"].includes(basename(path)) && !path.endsWith(".test.ts");
