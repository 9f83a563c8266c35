import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { runCli } from "./support/run-cli.js";

const config = `description: Answers of the shop
prompts: ["Where is {{order}}?"]
providers: [echo]
defaultTest:
  assert: [{ type: not-contains, value: refund }]
tests:
  - description: Known order
    vars: { order: [ORD-1, ORD-2] }
    assert:
      - { type: icontains, value: "ord-" }
      - { type: javascript, value: "output.includes(context.vars.order)" }
      - { type: bleu, value: x }
`;

it("converts a config that is valid and runs, and lists what has no counterpart", async () => {
  const cwd = makeProject({ "promptfooconfig.yaml": config });
  const imported = await runCli(["import", "promptfoo"], { cwd });
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  expect(imported.stdout).toBe(`wrote kindlm.yaml
wrote checks.mjs

1 test, converted in part. 1 place to look at, each with a TODO(import) in the config:
  promptfooconfig.yaml:12  bleu was left out: use similar with method rouge_l, or a module

Then check and run them:
  kindlm validate kindlm.yaml
  kindlm test kindlm.yaml
`);
  expect(await runCli(["validate"], { cwd })).toMatchObject({ code: 0, stderr: "" });
  const { code, stdout } = await runCli(["test"], { cwd, openModules: sharedModules });
  expect([code, stdout]).toEqual([0, expect.stringContaining("Summary: 2 passed, 0 failed, 0 errored, 0 skipped")]);
  // A check that cannot fail would prove nothing.
  const file = join(cwd, "kindlm.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("value: ord-", "value: elsewhere"));
  expect((await runCli(["test"], { cwd, openModules: sharedModules })).stdout).toContain("0 passed, 2 failed");
});

it("overwrites nothing, writes elsewhere or to stdout, and says what it cannot read", async () => {
  const cwd = makeProject({
    "kindlm.yaml": "mine",
    "promptfooconfig.yaml": config,
    "bad.yaml": "a: [",
    "list.json": "[]",
  });
  const run = (...args: readonly string[]) => runCli(["import", "promptfoo", ...args], { cwd });
  expect(await run()).toMatchObject({
    code: 1,
    stderr: "✗ Nothing was written, because these files exist: kindlm.yaml\n  Choose another folder with --out\n",
  });
  expect(existsSync(join(cwd, "checks.mjs"))).toBe(false);
  expect((await run("--out", "evals")).stdout).toContain("wrote evals/kindlm.yaml\n");
  expect((await run("--out", "-")).stdout).toMatch(/^# yaml-language-server/);
  for (const [name, message] of [
    ["missing.yaml", "missing.yaml does not exist\n  Name the config of promptfoo: kindlm import promptfoo <file>\n"],
    ["bad.yaml", "bad.yaml is not valid YAML: line 1"],
    ["list.json", "list.json is not a config of promptfoo"],
    [".", "."],
    ["promptfooconfig.ts", "promptfooconfig.ts is code, and only YAML and JSON can be imported"],
  ] as const) {
    const { code, stderr } = await run(name);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  }
});
