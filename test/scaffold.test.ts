import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "..");
const copied = ["packages", "scripts", "test", "tsconfig.base.json", "package.json", "vitest.config.ts"];
const made = [
  ["assertion", "scaffold_sample", "packages/core/src/assertions/scaffold-sample"],
  ["reporter", "scaffold-sample", "packages/core/src/reporters/scaffold-sample"],
  ["provider", "scaffold-sample", "packages/core/src/providers/scaffold-sample"],
  ["command", "scaffold-sample", "packages/cli/src/commands/scaffold-sample"],
] as const;

let copy = "";

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "kindlm-scaffold-"));
  const filter = (path: string): boolean => !/[\\/](node_modules|dist)$/.test(path);
  for (const name of copied) await cp(join(root, name), join(copy, name), { recursive: true, filter });
  for (const folder of [".", "packages/core", "packages/cli"]) {
    await symlink(join(root, folder, "node_modules"), join(copy, folder, "node_modules"));
  }
  await symlink(join(root, "packages/core/dist"), join(copy, "packages/core/dist"));
  for (const [family, name] of made) await run(process.execPath, ["scripts/new.js", family, name], { cwd: copy });
});

afterAll(() => rm(copy, { recursive: true }));

it("scaffolds members that compile", async () => {
  const program = join(root, "node_modules/typescript/bin/tsc");
  const noOutput = ["--noEmit", "--composite", "false", "--incremental", "false"];
  const compiles = ["core", "cli"].map((name) =>
    run(process.execPath, [program, "-p", `packages/${name}`, ...noOutput], { cwd: copy }).then(
      () => "",
      (error: unknown) => (error as { stdout: string }).stdout,
    ),
  );
  expect(await Promise.all(compiles)).toEqual(["", ""]);
}, 60_000);

it("scaffolds members whose tests pass", async () => {
  const program = join(root, "node_modules/vitest/vitest.mjs");
  const folders = made.map(([, , folder]) => `${folder}/`);
  const options = ["run", "--project", "unit", "--reporter", "json", "--outputFile", "result.json"];
  await run(process.execPath, [program, ...options, ...folders], { cwd: copy });
  const { default: result } = (await import(join(copy, "result.json"), { with: { type: "json" } })) as {
    default: { numPassedTests: number; numFailedTests: number; testResults: unknown[] };
  };
  expect(result).toMatchObject({ numFailedTests: 0, testResults: { length: made.length } });
}, 60_000);

it.each([
  [["assertion", "scaffold_sample"], "is there already"],
  [["assertion", "../escape"], "is no name"],
  [["gadget", "x"], "Usage: pnpm new"],
  [["assertion"], "Usage: pnpm new"],
])("refuses %j", async (args, message) => {
  await expect(run(process.execPath, ["scripts/new.js", ...args], { cwd: copy })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(message) as string,
  });
});
