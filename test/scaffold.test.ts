import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { createMember } from "../scripts/create-member.js";
import { afterAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "..");
const made = [
  ["assertion", "scaffold_sample", "packages/core/src/assertions/scaffold-sample", "scaffold-sample.test.ts"],
  ["reporter", "scaffold-sample", "packages/core/src/reporters/scaffold-sample", "scaffold-sample-reporter.test.ts"],
  ["provider", "scaffold-sample", "packages/core/src/providers/scaffold-sample", "scaffold-sample-provider.test.ts"],
  ["gate", "scaffold_sample", "packages/core/src/gates/scaffold-sample", "scaffold-sample.test.ts"],
  ["command", "scaffold-sample", "packages/cli/src/commands/scaffold-sample", "scaffold-sample-command.test.ts"],
] as const;

const folder = mkdtempSync(join(tmpdir(), "kindlm-scaffold-"));
afterAll(() => rmSync(folder, { recursive: true }));
/** All sources but their tests, with the members scaffolded into them. */
const copy = join(folder, "copy");
/** Nothing but the members, their registries and what helps tests. */
const alone = join(folder, "alone");

const isSource = (path: string): boolean =>
  !["node_modules", "dist", "build"].includes(basename(path)) && !path.endsWith(".test.ts");
for (const name of ["packages", "scripts", "test", "package.json", "tsconfig.base.json"]) {
  cpSync(join(root, name), join(copy, name), { recursive: true, filter: isSource });
}
symlinkSync(join(root, "packages/core/dist"), join(copy, "packages/core/dist"));
for (const [family, name] of made) await createMember([family, name], copy);

const besides = [
  "package.json",
  ...["core", "cli"].flatMap((name) => ["package.json", "src/__fixtures__"].map((path) => `packages/${name}/${path}`)),
];
for (const path of [...made.flatMap(([, , member]) => [member, join(dirname(member), "registry.ts")]), ...besides]) {
  cpSync(join(copy, path), join(alone, path), { recursive: true });
}
symlinkSync(join(root, "test"), join(alone, "test"));

for (const name of ["node_modules", "packages/core/node_modules", "packages/cli/node_modules"]) {
  for (const to of [copy, alone]) symlinkSync(join(root, name), join(to, name));
}

/** What does not lie beside a member is found among the declarations of the built packages. */
it("scaffolds members that compile, and their tests", async () => {
  const config = {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: {
      noEmit: true,
      declaration: false,
      // What helps the tests of the command line takes what helps those of core.
      rootDirs: [
        ...["core", "cli"].map((name) => `packages/${name}/src`),
        ...["core/dist", "cli/build"].map((built) => join(root, "packages", built)),
      ],
    },
    references: ["core", "cli"].map((name) => ({ path: join(root, "packages", name) })),
    // Of what helps tests only what these tests import.
    include: made.map(([, , member]) => dirname(member)),
  };
  const file = join(alone, "tsconfig.json");
  writeFileSync(file, JSON.stringify(config));
  const program = join(root, "node_modules/typescript-native/bin/tsc");
  // Each checker would check the types of the registries anew, and what ends at once collects no garbage.
  const env = { ...process.env, GOGC: "off" };
  const { stdout } = await run(process.execPath, [program, "-p", file, "--singleThreaded"], { env }).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe("");
});

describe.each(made)("the test of a scaffolded %s", async (_family, _name, member, test) => {
  await import(join(copy, member, test));
});

it.each([
  [["assertion", "scaffold_sample"], "is there already"],
  [["assertion", "../escape"], "is not a valid name"],
  [["gadget", "x"], "Usage: pnpm new"],
  [["assertion"], "Usage: pnpm new"],
])("refuses %j", async (args, message) => {
  expect(await createMember(args, copy)).toEqual({ problem: expect.stringContaining(message) as string, done: [] });
});

it("says what it wrote, and ends with 1 where it refuses", async () => {
  const words = ["scripts/new.js", "gate", "another_gate"];
  const { stdout } = await run(process.execPath, words, { cwd: copy });
  expect(stdout).toContain("wrote packages/core/src/gates/another-gate/another-gate.ts\n");
  await expect(run(process.execPath, words, { cwd: copy })).rejects.toMatchObject({
    code: 1,
    stderr: "packages/core/src/gates/another-gate is there already\n",
  });
});
