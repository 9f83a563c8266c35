import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createMember } from "../scripts/create-member.js";
import { sampleMembers, scaffoldSamples } from "../scripts/sample-members.js";
import { afterAll, describe, expect, it } from "vitest";

// Whether they compile is for `pnpm check`, like all that has types: see scripts/check-scaffold.js.
const run = promisify(execFile);
const copy = mkdtempSync(join(tmpdir(), "kindlm-scaffold-"));
afterAll(() => rmSync(copy, { recursive: true }));
await scaffoldSamples(copy);

describe.each(sampleMembers)("the test of a scaffolded %s", async (_family, _name, member, test) => {
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
