import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scriptedConfig } from "../packages/core/src/__fixtures__/scripted-config.js";
import { impatientModules, sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { makeProject, type ProjectFiles } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli, type InProcessOptions } from "./support/run-cli.js";
import { runProcess } from "./support/start-cli.js";
import { until } from "./support/until.js";

interface Report {
  warnings: { message: string }[];
  suites: {
    tests: {
      name: string;
      status: string;
      trials: {
        error: { code: string; message: string } | null;
        toolCalls: { tool: string; result: unknown; error: unknown; events?: unknown }[];
      }[];
    }[];
  }[];
}

const files = (tests: string, more: ProjectFiles, suite = "", top = "", rules = "[]"): ProjectFiles => ({
  "kindlm.yaml": scriptedConfig({
    rules,
    otherwise: "{ text: done }",
    suites: `  - name: s\n${suite}    tests:\n${tests}`,
    more: top,
  }),
  ...more,
});

async function run(project: ProjectFiles, args: readonly string[] = [], options: Partial<InProcessOptions> = {}) {
  const cwd = makeProject(project);
  const ran = await runCli(["test", "--reporter", "json", ...args], { cwd, ...options });
  const report = JSON.parse(ran.stdout) as Report;
  const tests = Object.fromEntries(
    (report.suites[0]?.tests ?? []).map(({ name, status, trials }) => [
      name,
      { status, error: trials[0]?.error ?? null, calls: trials[0]?.toolCalls ?? [] },
    ]),
  );
  return { cwd, ran, tests, warnings: report.warnings.map(({ message }) => message.replaceAll(`${cwd}/`, "")) };
}

const check = (name: string, module: string, more = ""): string =>
  `      - { name: ${name}, input: hi, assert: [{ type: module, module: "${module}" }]${more} }`;
/** A test whose agent calls one tool. */
const calling = (name: string, tool: string): string =>
  `      - { name: ${name}, input: hi, target: { module: "./agent.mjs#call", with: ${tool}, id: ${name} }, assert: [{ type: no_tool_errors }] }`;
const agent = "export const call = async (_input, { options, tools }) => (await tools.call(options)).content;";

// The longest wait comes first, and the others beside it.
describe.concurrent("what never ends in a module", () => {
  const loops = `
import { writeFileSync } from "node:fs";
// A loop that leaves the core to others: to its worker it is like any other.
const board = new Int32Array(new SharedArrayBuffer(4));
const forever = () => { for (;;) Atomics.wait(board, 0, 0, 20); };
export const loop = async () => { await null; writeFileSync(new URL("loops", import.meta.url), ""); forever(); };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const late = async () => { await pause(400); forever(); };
export const slow = async () => { await pause(500); return true; };
export const fine = () => true;`;

  it("as a loop, is ended once its call is waited for no longer, and holds up nobody else", async () => {
    // Only the loop is given little time: the other check needs a new worker, which starts slowly on a busy machine.
    const loop = check("loops", "loops.mjs#loop", ", timeouts: { tool: 1100ms }");
    const checks = [loop, check("fine", "loops.mjs#fine")].join("\n");
    const ran = await run(files(checks, { "loops.mjs": loops }), [], { openModules: impatientModules });
    expect(ran.tests).toMatchObject({
      loops: { status: "errored", error: { message: expect.stringContaining("did not answer within 1.1 s") } },
      fine: { status: "passed" },
    });
    expect(ran.warnings).toEqual([
      expect.stringMatching(/^The check loops\.mjs#loop kept its worker busy for [\d.]+ m?s, and was ended$/),
    ]);
  });

  it("as a loop that begins after its call was given up, holds up nobody else either", async () => {
    const late = check("late", "loops.mjs#late", ", timeouts: { tool: 100ms }");
    const checks = [late, check("slow", "loops.mjs#slow", ", timeouts: { tool: 20s }")].join("\n");
    const ran = await run(files(checks, { "loops.mjs": loops }), [], { openModules: impatientModules });
    expect(ran.tests).toMatchObject({
      late: { status: "errored", error: { message: expect.stringContaining("did not answer within 100 ms") } },
      slow: { status: "passed" },
    });
    expect(ran.warnings).toEqual([
      expect.stringMatching(/^The check loops\.mjs#late kept its worker busy for [\d.]+ m?s, and was ended$/),
    ]);
  });

  it("as a loop, does not outlast an interruption", async () => {
    const project = files(check("loops", "loops.mjs#loop"), { "loops.mjs": loops });
    const cwd = makeProject(project);
    const interrupt = new AbortController();
    const running = runCli(["test"], { cwd, interrupt: interrupt.signal });
    await until(() => existsSync(join(cwd, "loops")));
    const startedAt = performance.now();
    interrupt.abort();
    const { code, stdout, stderr } = await running;
    expect(performance.now() - startedAt).toBeLessThan(1_900);
    expect(code).toBe(1);
    expect(stdout).toContain("Summary: 0 passed, 0 failed, 1 errored");
    expect(stderr).toMatch(/⚠ The check .*loops\.mjs#loop kept its worker busy/);
  });

  it("as a wait inside the system, does not keep the process", async () => {
    const waits = `import { readFileSync } from "node:fs";
export default () => readFileSync(new URL("pipe", import.meta.url));
export const fine = () => true;`;
    // The first check has all the time that it takes to start the worker.
    const checks = [check("fine", "waits.mjs#fine"), check("waits", "waits.mjs", ", timeouts: { tool: 100ms }")];
    const project = files(checks.join("\n"), { "waits.mjs": waits });
    const cwd = makeProject(project);
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    const ran = await runProcess(["test", "--concurrency", "1"], { cwd });
    expect(ran.code).not.toBe(0);
    expect(ran.stdout).toContain("Summary: 1 passed, 0 failed, 1 errored");
    expect(ran.stderr).toMatch(/⚠ The check .*waits\.mjs#default is blocked in a system call/);
  });
});

describe.concurrent("what a module does to its process", () => {
  it("ends its own call, and is told", async () => {
    const ending = `
process.on("exit", () => { process.exitCode = 0; });
export const at_once = () => process.exit(0);
export const later = () => new Promise(() => setTimeout(() => process.exit(7), 1));
export const tool = { name: "quits", input_schema: {}, exec: () => process.exit(0) };
export const run = async () => { await null; process.exit(0); };
export const full = () => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); };
export const fine = () => true;`;
    const { ran, tests, warnings } = await run(
      files(
        [
          check("check", "ending.mjs#at_once"),
          check("later", "ending.mjs#later"),
          calling("tool", "quits"),
          '      - { name: agent, input: hi, target: { module: "./ending.mjs#run", id: a }, assert: [{ type: turns, min: 0 }] }',
          check("fine", "ending.mjs#fine"),
        ].join("\n"),
        { "ending.mjs": ending, "agent.mjs": agent },
        '    tools: [{ module: "./ending.mjs#tool" }]\n',
      ),
      ["--concurrency", "1"],
    );
    expect(ran.code).toBe(1);
    const named = Object.fromEntries(
      Object.entries(tests).map(([name, { status, error }]) => [name, [status, error?.code, error?.message]]),
    );
    const ends = (what: string): unknown => expect.stringMatching(new RegExp(`ending\\.mjs.* ${what}$`));
    expect(named).toEqual({
      check: ["errored", "ASSERTION_EVAL_ERROR", ends("called process\\.exit\\(0\\)")],
      later: ["errored", "ASSERTION_EVAL_ERROR", ends("called process\\.exit\\(0\\)")],
      tool: ["errored", "ENGINE_FIXTURE_ERROR", ends("called process\\.exit\\(0\\)")],
      agent: ["errored", "TARGET_ERROR", ends("called process\\.exit\\(0\\)")],
      fine: ["passed", undefined, undefined],
    });
    expect(warnings).toEqual([
      "The check ending.mjs#at_once called process.exit(0)",
      "The check ending.mjs#later called process.exit(0)",
      "The tool quits of ending.mjs#tool called process.exit(0)",
      "The agent ending.mjs#run called process.exit(0)",
    ]);
    expect(ran.stderr).toMatch(/Resume this run: kindlm test .*--resume/);
  });

  it("cuts off other calls, of which those without effects are made again", async () => {
    const tools = `
import { appendFileSync, existsSync } from "node:fs";
const until = async (file) => { while (!existsSync(new URL(file, import.meta.url))) await new Promise((go) => setTimeout(go, 2)); };
const mark = (file) => appendFileSync(new URL(file, import.meta.url), "x");
const tool = (name, noEffect, exec) => ({ name, input_schema: {}, attributes: { noEffect }, exec });
export default [
  tool("pay", false, async () => { mark("paid"); await until("never"); }),
  tool("look", true, async () => { mark("looked"); await until("looked-twice"); return "seen"; }),
  tool("quits", false, async () => {
    await until("paid");
    await until("looked");
    mark("looked-twice");
    process.exit(0);
  }),
];`;
    const { cwd, tests } = await run(
      files(
        [calling("pays", "pay"), calling("looks", "look"), calling("ends", "quits")].join("\n"),
        { "tools.mjs": tools, "agent.mjs": agent },
        '    tools: [{ module: "./tools.mjs" }]\n',
      ),
    );
    expect(readFileSync(join(cwd, "paid"), "utf8")).toBe("x");
    // The agents of these trials ran in the worker, too: they are cut off, and nobody's tool is to blame but the one.
    const byOther = expect.stringMatching(
      /was cut off, because tool quits of .*tools\.mjs#default called process\.exit/,
    );
    for (const name of ["pays", "looks"]) {
      expect(tests[name]).toMatchObject({
        status: "errored",
        error: { code: "ENGINE_FIXTURE_ERROR", message: byOther },
      });
    }
    expect(tests["ends"]?.error?.message).toMatch(/quits .* called process\.exit\(0\)$/);
  });
});

describe.concurrent("a check", () => {
  it("gets a frozen copy of the trial", async () => {
    const meddling = `
export const sorts = (trial) => { trial.toolCalls.sort((a, b) => (a.tool < b.tool ? -1 : 1)); return true; };
export const adds = (trial) => { trial.toolCalls[0].args.paid = true; return true; };
export const reads = (trial, options) => trial.toolCalls.map(({ tool }) => tool).join() === options.join();`;
    const tests = `      - name: t
        input: hi
        assert:
          - { id: sorts, type: module, module: "m.mjs#sorts" }
          - { id: adds, type: module, module: "m.mjs#adds" }
          - { id: reads, type: module, module: "m.mjs#reads", with: [b, a] }
          - { type: tool_order, tools: [a, b] }`;
    const project = files(
      tests,
      {
        "m.mjs": meddling,
        "agent.mjs":
          'export default async (_i, { tools }) => { await tools.call("b"); await tools.call("a"); return "x"; };',
      },
      "    target: { module: ./agent.mjs }\n    tools: [{ name: a, default: { return: 1 } }, { name: b, default: { return: 1 } }]\n",
    );
    const { ran, tests: found } = await run(project, [], { openModules: sharedModules });
    expect(found["t"]?.calls.map(({ tool }) => tool)).toEqual(["b", "a"]);
    // The order is judged by what happened, not by what a check made of it.
    expect(found["t"]?.status).toBe("failed");
    expect(ran.stdout).toMatch(/sorts of .* threw: Cannot assign to read only property/);
    expect(ran.stdout).toMatch(/adds of .* threw: Cannot add property paid/);
  });

  it("shares what its module remembers with all calls of the run", async () => {
    const counts = `
let count = 0;
export const tool = { name: "count", input_schema: {}, exec: () => (count += 1) };
export default (_trial, expected) => ({ pass: (count += 1) > expected, message: "count " + count });`;
    const tests = `      - { name: t, input: hi, runs: 3, pass: 2, target: { module: "./agent.mjs#call", with: count }, assert: [{ type: module, module: m.mjs, with: 2 }] }`;
    const project = files(tests, { "m.mjs": counts, "agent.mjs": agent }, "    tools: [{ module: ./m.mjs#tool }]\n");
    const { ran } = await run(project, ["--concurrency", "1"]);
    const counted = ran.stdout.matchAll(/"message":"count (\d)"/g);
    expect([...new Set([...counted].map(([, count]) => count))]).toEqual(["2", "4", "6"]);
  });
});

it.concurrent("an agent that is cut off makes no more calls of tools, also those that a plugin was asked about", async () => {
  const plugin = 'export default { name: "quits", preToolUse: () => process.exit(0) };';
  const { cwd, tests } = await run(
    files(
      calling("t", "pay"),
      { "plugin.mjs": plugin, "agent.mjs": agent },
      "    tools: [{ name: pay, command: [touch, paid] }]\n",
      "plugins: [./plugin.mjs]\n",
    ),
  );
  expect(tests["t"]).toMatchObject({ status: "errored", error: { code: "ENGINE_FIXTURE_ERROR" } });
  expect(existsSync(join(cwd, "paid"))).toBe(false);
});

it.concurrent("a plugin that ends its process is switched off, and the others are set up again", async () => {
  const plugins = `
let setups = 0;
export const quits = { name: "quits", preToolUse: () => process.exit(0) };
export const guard = {
  name: "guard",
  setup: () => ({ secret: "no " + "payments" }),
  preToolUse: (call, { state }) => ({ decision: "deny", reason: state.secret }),
};`;
  const { ran, tests, warnings } = await run(
    files(
      "      - { name: t, input: hi, assert: [{ type: tool_called, tool: pay }] }",
      { "plugins.mjs": plugins },
      "    tools: [{ name: pay, default: { return: 1 } }]\n",
      'plugins: ["./plugins.mjs#quits", "./plugins.mjs#guard"]\n',
      "[{ when: { turn: 1 }, reply: { tool_calls: [{ tool: pay, args: {} }] } }]",
    ),
  );
  expect(warnings).toEqual([
    'Plugin "quits": preToolUse called process.exit(0); it was disabled for the rest of the run',
    "The plugin plugins.mjs#quits called process.exit(0)",
  ]);
  expect(tests["t"]?.calls).toMatchObject([{ tool: "pay", error: { message: "no payments" } }]);
  expect(ran.code).toBe(0);
});
