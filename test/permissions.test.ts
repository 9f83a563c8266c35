import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { reportErrors } from "./support/report-errors.js";
import { runCli } from "./support/run-cli.js";

interface ReportedCall {
  tool: string;
  args: unknown;
  result: unknown;
  error: { errorType: string; message: string; retryable: boolean } | null;
  permission?: { note?: string };
}

interface ReportedTest {
  name: string;
  status: string;
  trials: {
    status: string;
    error: { code: string; message: string } | null;
    paused?: { permissionIds: string[] };
    toolCalls: ReportedCall[];
    messages?: { role: string }[];
    assertions: { type: string; pass: boolean; message: string }[];
  }[];
}

type Written = Readonly<Record<string, unknown>>;

/** Looks at 1, removes 1, then removes 2, and says Done. */
const script = {
  rules: [
    {
      when: { turn: 1 },
      reply: {
        tool_calls: [
          { tool: "look", args: { id: 1 } },
          { tool: "remove", args: { id: 1 } },
        ],
      },
    },
    { when: { turn: 2 }, reply: { tool_calls: [{ tool: "remove", args: { id: 2 } }] } },
  ],
  otherwise: { text: "Done" },
};

const simulated = [
  { name: "look", attributes: { readonly: true }, default: { return: "seen" } },
  { name: "remove", default: { return: "gone" } },
];

const done = { type: "contains", value: "Done" };

function configOf(
  tests: readonly Written[],
  { suite = {}, top = {} }: { suite?: Written; top?: Written } = {},
): string {
  return JSON.stringify({
    version: 1,
    models: [{ id: "agent", provider: "scripted", script }],
    suites: [
      {
        name: "s",
        tools: simulated,
        ...suite,
        tests: tests.map((test, index) => ({ name: `t${index}`, input: "Go", assert: [done], ...test })),
      },
    ],
    ...top,
  });
}

async function runTests(cwd: string, args: readonly string[] = ["test"]) {
  const ran = await runCli([...args, "--reporter", "json"], { cwd, openModules: sharedModules });
  const report: unknown = JSON.parse(ran.stdout || "null");
  expect(reportErrors(report), ran.stderr).toEqual([]);
  const { suites, warnings } = report as { suites: { tests: ReportedTest[] }[]; warnings: { message: string }[] };
  const tests = suites.flatMap((suite) => suite.tests);
  return { ...ran, tests, trials: tests.flatMap(({ trials }) => trials), warnings };
}

const run = (
  tests: readonly Written[],
  more: Parameters<typeof configOf>[1] = {},
  files: Record<string, string> = {},
) => runTests(makeProject({ ...files, "kindlm.yaml": configOf(tests, more) }));

const permissionsOf = ({ toolCalls }: { toolCalls: readonly ReportedCall[] }) =>
  toolCalls.map(({ tool, permission }) => [tool, permission]);

describe("permissions", () => {
  it("decide by deny, ask, allow and mode, in this order", async () => {
    const both = { deny: ["*"], ask: ["*"], allow: ["*"] };
    const { trials } = await run([
      {},
      { permissions: { mode: "readonly" } },
      { permissions: { mode: "readonly", allow: [{ tool: "remove", args: { id: "{{mine}}" } }] }, vars: { mine: 2 } },
      { permissions: { ...both, mode: "approval" } },
      {
        permissions: { mode: "readonly", ask: ["re*"], allow: ["*"] },
        approvals: [{ tool: "*", decision: "approve" }],
      },
    ]);
    const denied = (rule: string) => ({ decision: "denied", by: rule === "readonly" ? "mode" : "rule", rule });
    const allowed = (rule: string) => ({ ...denied(rule), decision: "allowed" });
    const approved = (id: string) => ({
      decision: "approved",
      by: "approval",
      id,
      approval: 1,
      asked: { by: "rule", rule: "ask: re*" },
    });
    expect(trials.map(permissionsOf)).toEqual([
      [
        ["look", undefined],
        ["remove", undefined],
        ["remove", undefined],
      ],
      [
        ["look", allowed("readonly")],
        ["remove", denied("readonly")],
        ["remove", denied("readonly")],
      ],
      [
        ["look", allowed("readonly")],
        ["remove", denied("readonly")],
        ["remove", allowed("allow: remove with {id: 2}")],
      ],
      [
        ["look", denied("deny: *")],
        ["remove", denied("deny: *")],
        ["remove", denied("deny: *")],
      ],
      [
        ["look", allowed("allow: *")],
        ["remove", approved("call_1_2")],
        ["remove", approved("call_2_1")],
      ],
    ]);
    const [, readonly] = trials;
    expect(readonly?.toolCalls[1]).toMatchObject({
      result: null,
      error: { errorType: "logical", message: "Tool denied by policy", retryable: false },
    });
  });

  it("are those of the suite where a test has none, and reach every kind of tool", async () => {
    const tools = [
      { name: "look", module: "./tools.mjs#look" },
      { name: "remove", command: [process.execPath, "-e", "require('fs').writeFileSync('ran', '')"] },
    ];
    const cwd = makeProject({
      "kindlm.yaml": configOf([{}, { permissions: { mode: "auto", deny: ["look"] } }], {
        suite: { tools, permissions: { mode: "readonly" } },
      }),
      "tools.mjs": `export const look = { name: "look", input_schema: {}, attributes: { readonly: true }, exec: () => "seen" };`,
    });
    const { trials } = await runTests(cwd);
    expect(trials.map(({ toolCalls }) => toolCalls.map(({ error }) => error?.message ?? null))).toEqual([
      [null, "Tool denied by policy", "Tool denied by policy"],
      ["Tool denied by policy", null, null],
    ]);
    expect(readFileSync(join(cwd, "ran"), "utf8")).toBe("");
  });
});

it("a trial in which a program runs its own tool, which permissions do not let run, is errored", async () => {
  const agent = `export const run = () => ({
    text: "Done",
    toolCalls: [{ tool: "look", args: {} }, { tool: "remove", args: { id: 1 } }, { tool: "today", args: {} }],
  });`;
  const { trials } = await run(
    [
      {},
      { permissions: { mode: "readonly" } },
      { permissions: { mode: "readonly", allow: ["remove"] } },
      { permissions: { mode: "readonly", allow: ["remove", "today"] } },
      { permissions: { deny: [{ tool: "remove", args: { id: 2 } }] } },
      { permissions: { ask: [{ tool: "remove", args: { id: 1 } }] } },
    ],
    { suite: { target: { module: "./agent.mjs#run" } } },
    { "agent.mjs": agent },
  );
  const unenforced = (tool: string): string =>
    `The permissions of the test do not let ${tool} run, but the agent ran its own, which they do not reach`;
  expect(trials.map(({ error }) => error?.message ?? null)).toEqual([
    null,
    unenforced("remove"),
    unenforced("today"),
    null,
    null,
    unenforced("remove"),
  ]);
  expect(trials[1]?.error?.code).toBe("ENGINE_FIXTURE_ERROR");
});

describe("approvals", () => {
  it("answer by tool, arguments and n-th call; the agent receives the note of a denial", async () => {
    const { trials } = await run([
      {
        permissions: { ask: ["remove"] },
        approvals: [
          { tool: "remove", args: { id: 2 }, decision: "deny", note: "Keep 2" },
          { tool: "*", decision: "approve" },
        ],
      },
      {
        permissions: { ask: ["remove"] },
        approvals: [
          { tool: "*", call: 2, decision: "approve", note: "Fine" },
          { tool: "remove", decision: "deny" },
        ],
      },
    ]);
    expect(trials.map(({ toolCalls }) => toolCalls.map(({ error, result }) => error?.message ?? result))).toEqual([
      ["seen", "gone", "Keep 2"],
      ["seen", "Denied by approval", "gone"],
    ]);
    expect(trials.map(({ toolCalls }) => toolCalls.map(({ permission }) => permission?.note))).toEqual([
      [undefined, undefined, "Keep 2"],
      [undefined, undefined, "Fine"],
    ]);
  });

  it("that are missing pause the conversation, after the other calls of the same answer", async () => {
    const asks = { permissions: { mode: "approval", allow: ["look"] } };
    const pending = { type: "permission", tool: "remove", decision: "pending" };
    const other = { ...pending, args: { id: 2 } };
    const { trials, code } = await run([
      { ...asks, on_tool_error: "fail" },
      { ...asks, assert: [pending, { type: "asks_before", tool: "remove" }, { type: "no_tool_errors" }] },
      { ...asks, assert: [other] },
      { conversation: [{ user: "Go" }, { user: "And now?" }], input: undefined, permissions: { mode: "approval" } },
    ]);
    expect(code).toBe(1);
    expect(trials.map(({ status, paused }) => [status, paused?.permissionIds])).toEqual([
      ["failed", ["call_1_2"]],
      ["passed", ["call_1_2"]],
      ["failed", ["call_1_2"]],
      ["failed", ["call_1_1", "call_1_2"]],
    ]);
    const [first] = trials;
    expect(first?.toolCalls).toMatchObject([
      { tool: "look", result: "seen" },
      { tool: "remove", result: null, permission: { decision: "pending", by: "mode", id: "call_1_2" } },
    ]);
    expect(first?.assertions.map(({ type, pass, message }) => [type, pass, message.split("\n")[0]])).toEqual([
      ["approvals", false, "The conversation is paused: no entry of approvals answers remove({id: 1}) (mode approval)"],
      ["contains", false, 'Expected the answer to contain "Done", but the answer is empty'],
    ]);
    expect(trials[3]?.messages?.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("that are missing stop a program under test", async () => {
    const agent = `export async function run(input, { tools }) {
      await tools.call("look", { id: 1 });
      await tools.call("remove", { id: 1 });
      await tools.call("look", { id: 2 });
      return { text: "Done" };
    }`;
    const suite = { target: { module: "./agent.mjs#run" } };
    const { trials } = await run([{ permissions: { ask: ["remove"] } }], { suite }, { "agent.mjs": agent });
    expect(trials[0]).toMatchObject({ status: "failed", paused: { permissionIds: ["agent_2"] } });
    expect(trials[0]?.toolCalls.map(({ tool, args }) => [tool, args])).toEqual([
      ["look", { id: 1 }],
      ["remove", { id: 1 }],
    ]);
  });

  it("are kept with the trial, and a pause is judged by the assertions of now", async () => {
    const asks = { permissions: { mode: "approval" } };
    const cwd = makeProject({ "kindlm.yaml": configOf([asks]) });
    expect((await runTests(cwd)).trials[0]?.status).toBe("failed");
    const expects = { ...asks, assert: [{ type: "permission", tool: "*", decision: "pending", times: 2 }] };
    writeFileSync(join(cwd, "kindlm.yaml"), configOf([expects]));
    const again = await runTests(cwd, ["rescore"]);
    expect(again.trials[0]).toMatchObject({ status: "passed", paused: { permissionIds: ["call_1_1", "call_1_2"] } });
    writeFileSync(join(cwd, "kindlm.yaml"), configOf([asks]));
    const back = await runTests(cwd, ["rescore"]);
    expect(back.trials[0]?.assertions.map(({ type }) => type)).toEqual(["approvals", "contains"]);
  });

  it("are shown in the transcript and in the events", async () => {
    const failing = [{ type: "contains", value: "nothing says this" }];
    const tests = [
      { permissions: { mode: "readonly" } },
      {
        permissions: { mode: "approval", ask: [{ tool: "remove", args: { id: 2 } }] },
        approvals: [
          { tool: "look", decision: "approve", note: "Fine" },
          { tool: "remove", call: 1, decision: "approve" },
        ],
      },
    ];
    const cwd = makeProject({ "kindlm.yaml": configOf(tests.map((test) => ({ ...test, assert: failing }))) });
    const { stdout } = await runCli(["test", "--verbose", "--events", "events.jsonl"], { cwd });
    const said = stdout.split("\n").flatMap((line) => /^ +kindlm {2}(.*?)(?: {2,}[\d.]+ s)?$/.exec(line)?.[1] ?? []);
    expect(new Set(said)).toEqual(
      new Set([
        "denied the call (mode readonly)",
        "approved the call (approvals 1): Fine",
        "approved the call (approvals 2)",
        "the call waits for an approval (ask: remove with {id: 2})",
      ]),
    );
    const events = readFileSync(join(cwd, "events.jsonl"), "utf8").trim().split("\n");
    const control = events
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ channel }) => channel === "control");
    expect(control).toMatchObject([
      { type: "permission:required", tool: "look", permissionId: "call_1_1", by: "mode", rule: "approval" },
      { type: "permission:decided", permissionId: "call_1_1", decision: "approved", note: "Fine" },
      { type: "permission:required", tool: "remove", permissionId: "call_1_2" },
      { type: "permission:decided", permissionId: "call_1_2", decision: "approved" },
      { type: "permission:required", permissionId: "call_2_1", by: "rule", rule: "ask: remove with {id: 2}" },
    ]);
  });

  it("that answer no call are warned of, if the whole suite was run", async () => {
    const suite = {
      permissions: { ask: ["remove"] },
      approvals: [
        { tool: "remove", decision: "approve" },
        { tool: "look", decision: "approve" },
      ],
    };
    const own = { approvals: [{ tool: "remove", call: 3, decision: "deny" }, ...suite.approvals.slice(0, 1)] };
    const cwd = makeProject({ "kindlm.yaml": configOf([{}, {}, own], { suite }) });
    const unused = (one: { warnings: { message: string }[] }) => one.warnings.map(({ message }) => message);
    expect(unused(await runTests(cwd))).toEqual([
      'Entry 2 of approvals of suite "s" (approve look) answered no call',
      'Entry 1 of approvals of test "s/t2" (deny remove) answered no call',
    ]);
    expect(unused(await runTests(cwd, ["test", "-t", "t0"]))).toEqual([]);
  });
});

describe("a plugin", () => {
  const plugin = (decide: string): Record<string, string> => ({
    "guard.mjs": `export default { name: "guard", preToolUse(call) { ${decide} } };`,
  });
  const top = { plugins: ["./guard.mjs"] };

  it("asks for approvals, denies and allows, whatever the mode", async () => {
    const decide = `
      if (call.args.id === 2) return { decision: "deny", reason: "Never 2" };
      return call.tool === "remove" ? { decision: "ask", meta: { reason: "Not on the list" } } : { decision: "allow" };`;
    const { trials } = await run(
      [
        { permissions: { mode: "approval" }, approvals: [{ tool: "remove", decision: "approve" }] },
        { permissions: { mode: "readonly", allow: ["remove"] }, approvals: [{ tool: "remove", decision: "deny" }] },
        { permissions: { deny: ["look"] } },
      ],
      { top },
      plugin(decide),
    );
    const asked = { by: "hook", rule: "guard", reason: "Not on the list" };
    const never = { decision: "denied", by: "hook", rule: "guard" };
    const by = { by: "approval", id: "call_1_2", approval: 1, asked };
    expect(trials.map(permissionsOf)).toEqual([
      [
        ["look", { decision: "allowed", by: "hook", rule: "guard" }],
        ["remove", { decision: "approved", ...by }],
        ["remove", never],
      ],
      [
        ["look", { decision: "allowed", by: "mode", rule: "readonly" }],
        ["remove", { decision: "denied", ...by }],
        ["remove", never],
      ],
      [
        ["look", { decision: "denied", by: "rule", rule: "deny: look" }],
        ["remove", { decision: "pending", by: "hook", id: "call_1_2", asked }],
      ],
    ]);
    expect(trials[1]?.toolCalls[1]?.error?.message).toBe("Not on the list");
  });
});

describe("a config", () => {
  const problemsOf = async (test: Written, suite: Written = {}) => {
    const cwd = makeProject({ "kindlm.yaml": configOf([test], { suite }) });
    const { code, stderr } = await runCli(["validate"], { cwd });
    return { code, stderr };
  };

  it.each<[string, Written, Written, RegExp]>([
    [
      "an unknown tool",
      { permissions: { deny: ["remov"] } },
      {},
      /No tool of the test is named "remov" at line 1\n *Did you mean "remove"\?/,
    ],
    [
      "an unknown tool of an approval",
      { permissions: { mode: "approval" }, approvals: [{ tool: "lok", decision: "deny" }] },
      {},
      /No tool of the test is named "lok"/,
    ],
    [
      "an unknown placeholder",
      { permissions: { deny: [{ tool: "look", args: { id: "{{nope}}" } }] } },
      {},
      /Unknown placeholder \{\{nope\}\}/,
    ],
    ["a test without tools", { permissions: { mode: "readonly" } }, { tools: [] }, /KindLM runs no tools in test "t0"/],
    ["a misspelled mode", { permissions: { mode: "read-only" } }, {}, /"readonly"/],
  ])("with %s is not valid", async (_what, test, suite, message) => {
    const { code, stderr } = await problemsOf(test, suite);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
  });

  it.each<[string, Written, RegExp]>([
    ["a glob that matches no tool", { permissions: { deny: ["bash_*"] } }, /No tool of the test matches "bash_\*"/],
    [
      "approvals that nothing asks for",
      { approvals: [{ tool: "*", decision: "deny" }] },
      /"approvals" has no effect: nothing asks for an approval/,
    ],
  ])("with %s is warned of", async (_what, test, message) => {
    const { code, stderr } = await problemsOf(test);
    expect(stderr).toMatch(message);
    expect(code).toBe(0);
  });
});
