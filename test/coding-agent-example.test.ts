import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { repository, runCli } from "./support/run-cli.js";

const example = path.join(repository, "examples", "coding-agent");

it("fixes the bug, and the hasty prompt regresses where somebody else edits the file", async () => {
  const cwd = makeProject({});
  cpSync(example, cwd, { recursive: true, filter: (file) => !file.includes(".kindlm") });
  // Kept folders go away with the project.
  const run = (...args: readonly string[]) => runCli(args, { cwd, env: { TMPDIR: makeProject({}) } });
  const first = await run("test");
  expect(first.stdout).toContain("Summary: 2 passed, 0 failed, 0 errored");
  expect((await run("baseline", "set")).code).toBe(0);
  cpSync(path.join(cwd, "prompts", "hasty.md"), path.join(cwd, "prompts", "agent.md"));
  const { code, stdout } = await run("test");
  expect(code).toBe(1);
  expect(stdout).toContain("src/price.js  +2, by a fault");
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("Expected a successful call of fs_edit after fs_edit(");
  const shown = /```text\n([^`]*)```/.exec(readFileSync(path.join(example, "README.md"), "utf8"))?.[1] ?? "nothing";
  expect(stdout).toContain(shown);
});
