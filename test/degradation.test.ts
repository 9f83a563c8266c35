import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startMisbehavingServer } from "./support/misbehaving-server.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { runCli } from "./support/run-cli.js";
import { refusedUrl } from "../packages/core/src/__fixtures__/start-server.js";

// What fails around a run costs as little as can be. Where a disk is full: full-disk.test.ts. Where a signal comes:
// signals-and-pipes.test.ts.

interface Report {
  verdict: string;
  summary: Record<string, number>;
  suites: { tests: { id: string; status: string; error: { code: string } | null }[] }[];
}

const warningsIn = (stderr: string): string[] => stderr.split("\n").filter((line) => line.startsWith("⚠"));
const offline = "{ id: offline, provider: scripted, script: { otherwise: { text: hello } } }";
const hello = "assert: [{ type: contains, value: hello }]";

describe("one provider fails", () => {
  it.each([
    ["refuses the connection", refusedUrl, "PROVIDER_NETWORK_ERROR"],
    [
      "fails with each request",
      async () => {
        const server = await startMisbehavingServer("500", "openai");
        onTestFinished(() => server.close());
        return server.baseUrl;
      },
      "PROVIDER_API_ERROR",
    ],
  ] as const)("it %s: its tests are errored, the others complete", async (_, urlOf, code) => {
    const good = await startMisbehavingServer("tool-call-then-text", "openai");
    onTestFinished(() => good.close());
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
providers:
  bad: { type: openai, base_url: ${await urlOf()} }
  good: { type: openai, base_url: ${good.baseUrl} }
models: [{ id: bad, provider: bad, model: x }, { id: good, provider: good, model: x }, ${offline}]
retry: { max_attempts: 2, initial_delay: 1ms, max_delay: 1ms }
suites:
  - name: s
    tools: [{ name: lookup_order, parameters: { type: object }, default: { return: { status: delivered } } }]
    tests:
      - { name: shared, models: [bad, good], input: hi, assert: [{ type: contains, value: delivered }] }
      - { name: alone, models: [offline], input: hi, ${hello} }
      - { name: wrong, models: [offline], input: hi, assert: [{ type: contains, value: bye }] }
`,
    });
    const ran = await runCli(["test", "--reporter", "json=r.json"], { cwd });
    expect(ran.code).toBe(1);
    const { suites } = JSON.parse(readFileSync(join(cwd, "r.json"), "utf8")) as Report;
    expect(suites[0]?.tests.map(({ id, status, error }) => [id, status, error?.code ?? null])).toEqual([
      ["s/shared@bad", "errored", code],
      ["s/shared@good", "passed", null],
      ["s/alone@offline", "passed", null],
      ["s/wrong@offline", "failed", null],
    ]);
    expect(ran.stdout).toContain("Summary: 2 passed, 1 failed, 1 errored, 0 skipped");
  });
});

const small = (expected: string): string => `version: 1
models: [${offline}]
suites: [{ name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: ${expected} }] }] }]
`;

describe.each([
  ["passes", "hello", 0],
  ["fails", "bye", 1],
] as const)("a run that %s", (_, expected, code) => {
  const summary = `Summary: ${1 - code} passed, ${code} failed, 0 errored, 0 skipped\nExit code: ${code}\n`;

  it("whose report cannot be written warns, and the results still appear", async () => {
    const cwd = makeProject({ "kindlm.yaml": small(expected), taken: "" });
    const ran = await runCli(["test", "--reporter", "json=taken/r.json", "--reporter", "junit=j.xml"], { cwd });
    expect(ran.code).toBe(code);
    expect(ran.stdout).toContain(summary);
    expect(warningsIn(ran.stderr)).toEqual([expect.stringMatching(/^⚠ Cannot write taken\/r\.json: /)]);
    expect(existsSync(join(cwd, "j.xml"))).toBe(true);
  });

  it("whose journal cannot be written warns once, and goes on", async () => {
    const cwd = makeProject({ "kindlm.yaml": small(expected), ".kindlm": "a file" });
    const ran = await runCli(["test"], { cwd });
    expect(ran.code).toBe(code);
    expect(ran.stdout).toContain(summary);
    expect(warningsIn(ran.stderr)).toEqual([expect.stringMatching(/^⚠ Cannot write \.kindlm\/runs\/\S+: /)]);
  });

  it("whose reporters throw warns, and the verdict is the same", async () => {
    const check = `import { existsSync, readdirSync, rmSync } from "node:fs";
const folder = new URL(".kindlm/", import.meta.url);
const runs = new URL("runs/", folder);
const isOpen = (id) => existsSync(new URL(id + "/journal.jsonl", runs));
export default async () => {
  while (!existsSync(runs) || !readdirSync(runs).some(isOpen)) await new Promise(setImmediate);
  rmSync(folder, { recursive: true });
  return true;
};
`;
    const more = "{ name: u, input: hi, assert: [{ type: module, module: check.mjs }] }";
    // Its trials are read from the journal: a case that passed with its only trial may have been rendered before.
    const yaml = small(expected).replace("tests: [", `tests: [${more}, `).replace("name: t,", "name: t, runs: 2,");
    const cwd = makeProject({ "kindlm.yaml": yaml, "check.mjs": check });
    const ran = await runCli(["test", "--concurrency", "1", "--reporter", "json=r.json"], {
      cwd,
      openModules: sharedModules,
    });
    expect(ran.code).toBe(code);
    const told = `Summary: ${2 - code} passed, ${code} failed, 0 errored, 0 skipped\nExit code: ${code}\n`;
    expect(ran.stdout + ran.stderr).toContain(told);
    expect(warningsIn(ran.stderr)).toContainEqual(expect.stringMatching(/^⚠ .*The reporter json failed: /));
    expect(existsSync(join(cwd, "r.json"))).toBe(false);
  });

  it("whose plugin throws in every hook warns, and the verdict is the same", async () => {
    const hooks = ["trialEnded", "runEnded", "preToolUse", "postToolUse", "toolFailed", "providerFailed"];
    const bodies = hooks.map((hook) => `${hook}() { throw new Error("no ${hook}"); }`);
    const plugin = `export default { name: "angry", ${bodies.join(", ")} };`;
    const cwd = makeProject({ "kindlm.yaml": `plugins: [./plugin.mjs]\n${small(expected)}`, "plugin.mjs": plugin });
    const ran = await runCli(["test"], { cwd, openModules: sharedModules });
    expect(ran.code).toBe(code);
    expect(ran.stdout).toContain(summary);
    const warnings = warningsIn(ran.stderr);
    expect(warnings.length).toBeGreaterThan(0);
    for (const warning of warnings) expect(warning).toContain("angry");
  });
});
