import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../packages/core/src/errors/error-table.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli, stable } from "./support/run-cli.js";

const head = `version: 1
models:
  - { id: offline, provider: scripted, script: { otherwise: { text: hello } } }
suites:
`;
const assertion = "assert: [{ type: contains, value: hello }]";
const good = `  - name: good\n    tests: [{ name: hello, input: hi, ${assertion} }]\n`;

/** Tests, each with a key that does not exist: of `kinds` names, one after the other. */
const wrongTests = (count: number, kinds = 1, indent = "      "): string =>
  Array.from(
    { length: count },
    (_, index) => `${indent}- { name: t${index}, input: hi, tag${index % kinds}z: [], ${assertion} }\n`,
  ).join("");
const suite = (tests: string): string => `  - name: orders\n    tests:\n${tests}`;
const titles = /^ *✗ Config error: Unknown key/gm;

describe("one mistake in many tests", () => {
  const files = { "kindlm.yaml": head + suite(wrongTests(50)) };

  it("is told once by validate, with its places and their number", async () => {
    const cwd = makeProject({ "kindlm.yaml": head + suite(wrongTests(1_000)) });
    const ran = await runCli(["validate"], { cwd });
    expect(ran.code).toBe(1);
    await expect(ran.stdout + ran.stderr).toMatchFileSnapshot("__golden__/equal-mistakes.txt");
  });

  it("is told each time by validate --all, and counted", async () => {
    const ran = await runCli(["validate", "--all"], { cwd: makeProject(files) });
    expect(ran.code).toBe(1);
    expect(ran.stderr.match(titles)).toHaveLength(50);
    expect(ran.stderr).toContain("\n  kindlm.yaml:56:33\n");
    expect(ran.stderr.endsWith("\n✗ 50 errors in kindlm.yaml, 1 kind\n")).toBe(true);
  });

  it("is there each time in the JSON, whether a run could start or not", async () => {
    for (const config of [files["kindlm.yaml"], files["kindlm.yaml"] + good]) {
      const ran = await runCli(["validate", "--json"], { cwd: makeProject({ "kindlm.yaml": config }) });
      expect(ran.code).toBe(1);
      const { valid, diagnostics } = JSON.parse(ran.stdout) as { valid: boolean; diagnostics: Diagnostic[] };
      expect(valid).toBe(false);
      expect(diagnostics.map(({ position }) => position?.line)).toEqual(Array.from({ length: 50 }, (_, i) => i + 7));
      expect(diagnostics[49]).toMatchObject({ suite: "orders", test: "t49", message: 'Unknown key "tag0z"' });
      expect(ran.stderr).toContain("50 errors in kindlm.yaml, 1 kind");
    }
  });

  it("is told once by a run, across suites and files, or each time with --all", async () => {
    const own = `name: refunds\ntests:\n${wrongTests(50, 1, "  ")}`;
    const cwd = makeProject({ "kindlm.yaml": `${files["kindlm.yaml"]}  - refunds.yaml\n${good}`, "refunds.yaml": own });
    const ran = await runCli(["test", "--no-journal"], { cwd });
    expect(ran.code).toBe(1);
    const masked = stable(ran.stdout, cwd);
    await expect(masked).toMatchFileSnapshot("__golden__/equal-mistakes-run.txt");
    const all = await runCli(["test", "--no-journal", "--all"], { cwd });
    expect(all.stdout.match(titles)).toHaveLength(100);
  });

  it("is told once by every other command, with the command that shows each", async () => {
    const cwd = makeProject({ "my evals.yaml": files["kindlm.yaml"] });
    const ran = await runCli(["doctor", "-c", "my evals.yaml"], { cwd });
    expect(ran.stderr.match(titles)).toHaveLength(1);
    expect(ran.stderr).toContain("\n  Show all with kindlm validate -c 'my evals.yaml' --all\n");
  });
});

describe("many different mistakes", () => {
  it("are told up to twenty, and counted", async () => {
    const cwd = makeProject({ "kindlm.yaml": head + suite(wrongTests(50, 30)) });
    const ran = await runCli(["test"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr.match(titles)).toHaveLength(20);
    const counted = "✗ 50 errors in kindlm.yaml, 30 kinds; 10 errors are not shown";
    expect(ran.stderr.endsWith(`${counted}\n  Show all with --all\n`)).toBe(true);
  });

  it("push no error out of sight when most of them are warnings", async () => {
    const warned = Array.from(
      { length: 40 },
      (_, index) =>
        `      - { name: t${index}, input: hi, assert: [{ type: tool_not_called, tool: tool${index} }, { type: length, min: 1 }] }\n`,
    ).join("");
    const cwd = makeProject({ "kindlm.yaml": head + suite(warned) + good.replace("hello,", "hello, tagz: [],") });
    const ran = await runCli(["validate"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr.match(/^⚠ /gm)).toHaveLength(19);
    expect(ran.stderr.match(titles)).toHaveLength(1);
    expect(ran.stderr).toContain("✗ 1 error and 40 warnings in kindlm.yaml; 21 warnings are not shown\n");
  });
});
