import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runProcess } from "./support/start-cli.js";

/** Each takes milliseconds of every start. */
const unneeded = new Set(["child_process", "http", "http2", "readline", "dgram"]);

it("a run of a scripted model loads no module of Node that it does not need", async () => {
  const cwd = makeProject({
    "list.cjs": `process.once("exit", () => process._rawDebug(JSON.stringify(process.moduleLoadList)));`,
    "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hi } } }]
suites: [{ name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hi }] }] }]
`,
  });
  const env = { NODE_OPTIONS: `--require ${join(cwd, "list.cjs")}` };
  const { code, stderr } = await runProcess(["test"], { cwd, env });
  expect(code).toBe(0);
  const loaded: string[] = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
  expect(loaded).toContain("NativeModule crypto");
  expect(loaded.filter((name) => unneeded.has(name.replace("NativeModule ", "")))).toEqual([]);
});
