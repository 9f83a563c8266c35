import { describe, expect, it } from "vitest";
import { assertionTypes, evaluateWritten } from "../../../core/src/__fixtures__/evaluate-written.js";
import { makeProject } from "../../../core/src/__fixtures__/make-project.js";
import { failedCase, inSuite, sampleAssertion } from "../../../core/src/__fixtures__/sample-run.js";
import { readDecisiveTrial, success, type AssertionResult, type Trial } from "@kindlm/core";
import { describeFailure } from "./describe-failure.js";

const same = (text: string): string => text;

/** What the failure of a trial with these results is called. */
async function failureOf(assertions: readonly AssertionResult[], redact = same) {
  const test = failedCase("a", {}, { assertions });
  return describeFailure(await readDecisiveTrial(inSuite([test]), test), redact);
}

const cwd = makeProject({
  "check.mjs": `export default () => ({ pass: false, message: "3 words are rude" });\n`,
  "tools.json": JSON.stringify({ entries: [{ name: "write" }] }),
});

async function evaluate(written: Record<string, unknown>, trial: Trial): Promise<AssertionResult> {
  const result = await evaluateWritten(written, trial, {
    cwd,
    models: {
      askJudge: () =>
        Promise.resolve(success({ value: { score: 0.4, reasoning: "Too curt." }, model: "critic", costUsd: 0 })),
      baselineAnswer: () => Promise.resolve(success("It will arrive on Monday.")),
    },
  });
  if (!result.success) throw new Error(result.error.message);
  expect(result.data.pass).toBe(false);
  return result.data;
}

const call = (tool: string, args: Record<string, unknown>, more: object = {}) => ({ tool, args, ...more });
const timeout = { errorType: "runtime", message: "connection reset", retryable: false, recommendations: [] } as const;
const invalid = { ...timeout, errorType: "validation", message: "order_id is missing" } as const;

const direct = (tool: string, more: object): Trial => ({ toolCalls: [call(tool, {}, { direct: true, ...more })] });
const listing = { tools: [{ name: "read", inputSchema: { type: "object" } }] };

/** An assertion that fails, what it is called, and the few words of it. */
const cases: readonly (readonly [written: Record<string, unknown>, trial: Trial, title: string, reason: string])[] = [
  [
    { type: "tool_called", tool: "issue_refund", args: { order_id: "ORD-4", amount: 1250 } },
    { toolCalls: [call("issue_refund", { order_id: "ORD-4", amount: 1 })] },
    "issue_refund is called with the wrong amount",
    "amount 1, expected 1250",
  ],
  [
    { type: "tool_called", tool: "issue_refund", args: { amount: 1250 } },
    { toolCalls: [call("issue_refund", {})] },
    "issue_refund is called without amount",
    "amount missing, expected 1250",
  ],
  [
    { type: "tool_called", tool: "issue_refund" },
    { toolCalls: [call("lookup_order", {})] },
    "issue_refund is not called",
    "issue_refund not called",
  ],
  [
    { type: "tool_called", tool: "lookup_order", times: 1 },
    { toolCalls: [call("lookup_order", {}), call("lookup_order", {})] },
    "lookup_order is called too often",
    "lookup_order called 2 times, expected exactly 1",
  ],
  [
    { type: "tool_called", tool: "lookup_order", min: 2 },
    { toolCalls: [call("lookup_order", {})] },
    "lookup_order is called too rarely",
    "lookup_order called 1 time, expected at least 2",
  ],
  [
    { type: "tool_called", tool: "lookup_order", result: { total: 5 } },
    { toolCalls: [call("lookup_order", {}, { result: { total: 7 } })] },
    "lookup_order returns the wrong total",
    "total 7, expected 5",
  ],
  [
    { type: "tool_called", tool: "lookup_order", before: "issue_refund" },
    { toolCalls: [call("lookup_order", {}, { turn: 2 }), call("issue_refund", {}, { turn: 1 })] },
    "lookup_order is not called before issue_refund",
    "lookup_order not called before issue_refund",
  ],
  [
    { type: "routes_to", tool: "lookup_order" },
    { toolCalls: [call("cancel_order", {})] },
    "The request leads to cancel_order, not to lookup_order",
    "cancel_order called, expected lookup_order",
  ],
  [
    { type: "routes_to", tool: "none" },
    { toolCalls: [call("cancel_order", {})] },
    "The request leads to cancel_order, not to no tool",
    "cancel_order called, expected no tool",
  ],
  [
    { type: "routes_to", tool: "lookup_order", never: "cancel_*" },
    { toolCalls: [call("lookup_order", {}), call("cancel_order", {})] },
    'Expected "cancel_order" not to be called, but it was',
    'it was, expected "cancel_order" not to be called',
  ],
  [
    { type: "mcp_result", text: "two liters" },
    direct("read", { result: { content: [{ type: "text", text: "three liters" }] } }),
    'Expected the text to match "two liters", but it is "three liters"',
    'it is "three liters", expected the text to match "two liters"',
  ],
  [
    { type: "mcp_error", kind: "result" },
    direct("read", { result: "milk" }),
    'Expected an error of kind result, but read returned "milk"',
    'read returned "milk", expected an error of kind result',
  ],
  [
    { type: "mcp_progress", min: 2 },
    direct("read", { result: {} }),
    "Expected at least 2 notifications of progress, got 0 notifications",
    "Expected at least 2 notifications of progress, got 0 notifications",
  ],
  [
    { type: "mcp_snapshot", file: "tools.json" },
    direct("tools/list", { result: listing }),
    "The lists of the server differ from the snapshot",
    "changed since the snapshot: 2 items",
  ],
  [
    { type: "mcp_lint" },
    direct("tools/list", { result: listing }),
    "The tools of the server have problems",
    "1 problem found",
  ],
  [
    { type: "tool_not_called", tool: "delete_*" },
    { toolCalls: [call("delete_user", { id: 1 })] },
    "delete_user is called, and must not be",
    "delete_user called",
  ],
  [
    { type: "tool_not_called", tool: "issue_refund", args: { amount: { $gt: 500 } } },
    { toolCalls: [call("issue_refund", { amount: 900 })] },
    "issue_refund is called with forbidden arguments",
    "issue_refund called",
  ],
  [
    { type: "tool_order", tools: ["lookup_order", "issue_refund"] },
    { toolCalls: [call("issue_refund", {}, { turn: 1 }), call("lookup_order", {}, { turn: 2 })] },
    "The tools are called in the wrong order",
    "called: issue_refund → lookup_order",
  ],
  [
    { type: "tool_order", tools: ["lookup_order", "issue_refund"] },
    { toolCalls: [call("issue_refund", {})] },
    "lookup_order is not called, though the order requires it",
    "lookup_order not called",
  ],
  [
    { type: "tool_calls", calls: [{ tool: "lookup_order" }] },
    { toolCalls: [call("lookup_order", {}), call("cancel_order", {})] },
    "cancel_order is called, and is not in the list",
    "cancel_order called",
  ],
  [
    { type: "tool_calls", calls: [{ tool: "lookup_order", args: { order_id: "ORD-1" } }] },
    { toolCalls: [call("lookup_order", { order_id: "ORD-7" })] },
    "lookup_order is called with the wrong order_id",
    'order_id "ORD-7", expected "ORD-1"',
  ],
  [
    { type: "tool_args_schema", tool: "lookup_order", schema: { type: "object", required: ["order_id"] } },
    { toolCalls: [call("lookup_order", { id: 1 })] },
    "The arguments of lookup_order break their schema",
    'lookup_order: must have the property "order_id"',
  ],
  [
    { type: "max_tool_calls", max: 1, tool: "get_*" },
    { toolCalls: [call("get_a", {}), call("get_b", {})] },
    "get_* is called too often",
    "2 tool calls, at most 1 allowed",
  ],
  [
    { type: "no_redundant_calls" },
    { toolCalls: [call("lookup_order", {}, { turn: 1 }), call("lookup_order", {}, { turn: 2 })] },
    "lookup_order is called again without need",
    "lookup_order again",
  ],
  [
    { type: "recovers_from", tool: "read_file" },
    { output: "Sorry.", toolCalls: [call("read_file", {}, { error: timeout })] },
    "The agent does not recover from an error of read_file",
    'no tool was called after it; the agent answered "Sorry."',
  ],
  [
    { type: "recovers_from", tool: "read_file" },
    { toolCalls: [call("read_file", {})] },
    "read_file does not fail as expected, so the agent has nothing to recover from",
    "its only call did not fail, so there was nothing to recover from",
  ],
  [
    { type: "no_blind_retry" },
    { toolCalls: [call("pay", { a: 1 }, { turn: 1, error: timeout }), call("pay", { a: 1 }, { turn: 2 })] },
    "pay is repeated unchanged after an error that is final",
    "pay repeated",
  ],
  [
    { type: "fixes_arguments", tool: "read_file" },
    { output: "Sorry.", toolCalls: [call("read_file", {}, { error: invalid })] },
    "The agent does not correct the arguments of read_file",
    'no tool was called after it; the agent answered "Sorry."',
  ],
  [
    { type: "no_tool_errors" },
    { toolCalls: [call("read_file", {}, { error: timeout })] },
    "read_file fails with a runtime error",
    "read_file failed: connection reset",
  ],
  [
    { type: "permission", tool: "cancel_order", decision: "denied" },
    { toolCalls: [call("cancel_order", {})] },
    "cancel_order is allowed, not denied",
    "cancel_order allowed, expected denied",
  ],
  [
    { type: "permission", tool: "cancel_order", decision: "denied" },
    { toolCalls: [] },
    "No call of cancel_order is denied",
    "no call of cancel_order",
  ],
  [
    { type: "permission", tool: "cancel_order", decision: "allowed", times: 1 },
    { toolCalls: [call("cancel_order", {}), call("cancel_order", {})] },
    "cancel_order is allowed too often or too rarely",
    "cancel_order allowed 2 times, expected exactly 1",
  ],
  [
    { type: "asks_before", tool: "cancel_order", by: "approval" },
    { toolCalls: [call("cancel_order", {})] },
    "cancel_order is called without asking the user first",
    "cancel_order called without asking",
  ],
  [
    { type: "asks_before", tool: "cancel_order" },
    {
      toolCalls: [call("cancel_order", {})],
      messages: [
        { role: "user", content: "Cancel it" },
        { role: "assistant", text: "", toolCalls: [{ id: "1", tool: "cancel_order", args: {} }] },
      ],
    },
    "cancel_order is called without asking the user first",
    "cancel_order called without asking",
  ],
  [
    { type: "event", name: "weather_fetched", data: { city: "Lisbon" } },
    { toolCalls: [call("weather", {}, { events: [{ name: "weather_fetched", data: { city: "Porto" } }] })] },
    "The event weather_fetched has the wrong city",
    'city "Porto", expected "Lisbon"',
  ],
  [{ type: "event", name: "paid" }, { toolCalls: [] }, "No tool emits the event paid", "no event paid"],
  [
    { type: "conversation_ended", by: "goal" },
    { stoppedBy: "gave_up" },
    "The end of the conversation is gave_up, expected goal",
    "end of the conversation gave_up, expected goal",
  ],
  [
    { type: "contains", value: "delivered" },
    { output: "It is on its way." },
    'The answer does not contain "delivered"',
    'the answer does not contain "delivered"',
  ],
  [
    { type: "not_contains", value: "cannot" },
    { output: "I cannot do that." },
    'The answer contains "cannot"',
    'the answer contains "cannot"',
  ],
  [
    { type: "starts_with", value: "Dear" },
    { output: "Hello" },
    'The answer does not start with "Dear"',
    'the answer does not start with "Dear"',
  ],
  [{ type: "equals", value: "42" }, { output: "41" }, 'The answer is not "42"', 'the answer is not "42"'],
  [
    { type: "matches", value: "ORD-\\d+" },
    { output: "-" },
    "The answer does not match /ORD-\\d+/",
    "no match of /ORD-\\d+/",
  ],
  [
    { type: "keywords_present", value: ["refund", "five days"] },
    { output: "A refund." },
    'The answer lacks "refund", "five days"',
    'the answer lacks "refund", "five days"',
  ],
  [
    { type: "keywords_absent", value: ["guarantee", "lawsuit"] },
    { output: "We guarantee it." },
    'The answer has the forbidden keyword "guarantee"',
    'the answer has the forbidden keyword "guarantee"',
  ],
  [{ type: "json" }, { output: "No." }, "The answer is not JSON", "the answer is not JSON"],
  [{ type: "json", path: "status" }, { output: "{}" }, "The JSON answer has no status", "no status"],
  [
    { type: "json", path: "order", value: { status: "open" } },
    { output: '{"order":{"status":"closed"}}' },
    "The JSON answer has the wrong order.status",
    'order.status "closed", expected "open"',
  ],
  [
    { type: "schema", schema: { type: "object", required: ["status"] } },
    { output: "{}" },
    'The answer breaks its schema: it must have the property "status"',
    'it must have the property "status"',
  ],
  [
    { type: "no_pii" },
    { output: "Write to ada@example.org" },
    "The answer contains an email address",
    "contains email: a***@***.org",
  ],
  [
    { type: "length", max: 1, unit: "words" },
    { output: "Two words" },
    "The length of the answer is above 1 word",
    "length of the answer 2 words, expected at most 1 word",
  ],
  [{ type: "refuses" }, { output: "Here you are." }, "The agent does not refuse", "the agent does not refuse"],
  [{ type: "does_not_refuse" }, { output: "I can't help with that." }, "The agent refuses", "the agent refuses"],
  [{ type: "does_not_refuse" }, { output: "" }, "The answer is empty", "the answer is empty"],
  [
    { type: "judge", criteria: "Says sorry", samples: 3 },
    { output: "No.", messages: [{ role: "user", content: "Hi" }] },
    'The judge gives 0.4, needs 0.7: "Says sorry"',
    "judge 0.4, needs 0.7",
  ],
  [
    { type: "similar", reference: "It was delivered on Monday." },
    { output: "No." },
    "The answer is not similar enough to the reference",
    "similarity 0, needs 0.5",
  ],
  [
    { type: "drift" },
    { output: "No idea." },
    "The answer is too far from that of the baseline",
    "1 away from the baseline",
  ],
  [
    { type: "latency", max: "1s" },
    { latencyMs: 2_000 },
    "The latency is above 1 s",
    "latency 2 s, expected at most 1 s",
  ],
  [{ type: "cost", max: 0.01 }, { costUsd: 0.02 }, "The cost is above $0.01", "cost $0.02, expected at most $0.01"],
  [
    { type: "tokens", min: 5 },
    { usage: { inputTokens: 1, outputTokens: 1 } },
    "The number of tokens is below 5",
    "number of tokens 2, expected at least 5",
  ],
  [{ type: "turns", max: 1 }, { turns: 2 }, "The number of turns is above 1", "number of turns 2, expected at most 1"],
  [
    { type: "finish_reason", value: "stop" },
    { finishReason: "length" },
    'The finish reason is "length", expected "stop"',
    'finish reason "length", expected "stop"',
  ],
  [{ type: "served_by", value: "a" }, { servedBy: ["b"] }, "Another model than a answered", "answered by b"],
  [{ type: "exit_code", value: 0 }, { exitCode: 3 }, "The exit code is 3, expected 0", "exit code 3, expected 0"],
  [{ type: "stdout", value: "done" }, { stdout: "no" }, "The output of the program is wrong", 'stdout is "no"'],
  [
    { type: "todo", all: "completed" },
    { toolCalls: [{ tool: "todo_write", args: { todos: [{ id: "1", title: "Run tests", status: "pending" }] } }] },
    "Not all todos are completed",
    '"Run tests" is pending',
  ],
  [
    { type: "todo", status: "completed", min: 2 },
    { toolCalls: [{ tool: "todo_write", args: { todos: [{ id: "1", title: "Run tests", status: "pending" }] } }] },
    "The todo list is not as expected",
    "expected at least 2 todos that are completed",
  ],
  [{ type: "todo", all: "completed" }, { toolCalls: [] }, "The agent has no todos", "no todos"],
  [
    { type: "delegates_to", template: "researcher" },
    { toolCalls: [{ tool: "task_run", args: { agentTemplateId: "writer", prompt: "Write" } }] },
    "No task is delegated to researcher",
    "no task delegated to researcher",
  ],
  [
    { type: "delegates_to", template: "writer", prompt: { $contains: "short" } },
    { toolCalls: [{ tool: "task_run", args: { agentTemplateId: "writer", prompt: "Write" } }] },
    "The task of writer has the wrong prompt",
    'prompt "Write", expected containing "short"',
  ],
  [
    { type: "delegates_to", template: "writer", times: 2 },
    { toolCalls: [{ tool: "task_run", args: { agentTemplateId: "writer", prompt: "Write" } }] },
    "writer gets too many tasks or too few",
    "1 task delegated to writer, expected exactly 2",
  ],
  [
    { type: "delegates_to", template: "writer", times: 0 },
    { toolCalls: [{ tool: "task_run", args: { agentTemplateId: "writer", prompt: "Write" } }] },
    "A task is delegated to writer, and must not be",
    "1 task delegated to writer, expected exactly 0",
  ],
  [
    { type: "hands_off_to", to: "billing" },
    {
      messages: [
        { role: "user", content: "Refund" },
        { role: "assistant", text: "One moment", toolCalls: [], agent: "triage" },
        { role: "assistant", text: "Done", toolCalls: [], agent: "refunds" },
      ],
    },
    "The conversation is not handed to billing as expected",
    "the hand-offs were triage → refunds",
  ],
  [
    { type: "hands_off_to", to: "refunds", times: 0 },
    {
      messages: [
        { role: "user", content: "Refund" },
        { role: "assistant", text: "One moment", toolCalls: [], agent: "triage" },
        { role: "assistant", text: "Done", toolCalls: [], agent: "refunds" },
      ],
    },
    "The conversation is handed to refunds, and must not be",
    "there was 1",
  ],
  [
    { type: "loads_skill", skill: "notes" },
    { toolCalls: [{ tool: "skills", args: { action: "load", skill_name: "letters" } }] },
    "Skill notes is not loaded",
    "skill notes not loaded",
  ],
  [
    { type: "loads_skill", skill: "notes", before: "fs_*" },
    {
      toolCalls: [call("fs_read", { path: "a" }), { tool: "skills", args: { action: "load", skill_name: "notes" } }],
    },
    "Skill notes is loaded too late",
    'fs_read({path: "a"}) was called first',
  ],
  [
    { type: "loads_skill", skill: "notes", times: 2 },
    { toolCalls: [{ tool: "skills", args: { action: "load", skill_name: "notes" } }] },
    "Skill notes is loaded too often or too rarely",
    "skill notes was loaded 1 time",
  ],
  [
    { type: "file", path: "a.js", unchanged: true },
    { workspace: { changes: [{ path: "a.js", change: "deleted" }] } },
    "a.js is changed, and must not be",
    "a.js is changed, and must not be",
  ],
  [
    { type: "files_changed", none: true },
    { workspace: { changes: [{ path: "a.js", change: "added" }] } },
    "Files are changed, and must not be",
    "a.js changed",
  ],
  [
    { type: "files_changed", only: ["b.js", "c.js"], at_least: ["c.js"] },
    { workspace: { changes: [{ path: "a.js", change: "added" }] } },
    "Other files are changed than allowed",
    "a.js changed",
  ],
  [
    { type: "files_changed", at_least: ["c.js"] },
    { workspace: { changes: [{ path: "a.js", change: "added" }] } },
    "Files are not changed that should be",
    "c.js not changed",
  ],
  [
    { type: "wrote_outside", not: true },
    { workspace: { changes: [], escapes: [{ path: "/etc/a", access: "write" }] } },
    'The opposite is expected: the agent tried to write "/etc/a", which is outside the workspace',
    'the agent tried to write "/etc/a", which is outside the workspace',
  ],
  [{ type: "module", module: "./check.mjs" }, { output: "x" }, "3 words are rude", "3 words are rude"],
  [
    { type: "command", command: [process.execPath, "-e", "console.log('no good'); process.exit(1)"] },
    { output: "x" },
    `${process.execPath} ended with exit code 1: "no good"`,
    `${process.execPath} ended with exit code 1: "no good"`,
  ],
  [
    {
      any_of: [
        { type: "contains", value: "a" },
        { type: "contains", value: "b" },
      ],
    },
    { output: "x" },
    "None of 2 alternatives holds",
    "0 of 2 checks hold",
  ],
  [
    {
      all_of: [
        { type: "contains", value: "x" },
        { type: "contains", value: "b" },
      ],
    },
    { output: "x" },
    'The answer does not contain "b"',
    'the answer does not contain "b"',
  ],
  [
    {
      at_least: 2,
      of: [
        { type: "contains", value: "x" },
        { type: "contains", value: "b" },
      ],
    },
    { output: "x" },
    "Too few of 2 checks hold",
    "1 of 2 checks hold",
  ],
  [
    { type: "contains", value: "x", not: true },
    { output: "x" },
    'The opposite is expected: the answer contains "x"',
    'the answer contains "x"',
  ],
];

describe("describeFailure", () => {
  it.each(cases)("%j of %j", async (written, trial, title, reason) => {
    const failure = await failureOf([await evaluate(written, trial)]);
    expect(failure).toMatchObject({ title, reason });
  });

  it("counts further failing assertions, and prefers one that could be evaluated", async () => {
    const error = { code: "ASSERTION_EVAL_ERROR", message: "threw" } as const;
    const failed = sampleAssertion({ pass: false, score: 0, expected: "a", actual: "b" });
    expect(await failureOf([{ ...failed, type: "judge", error }, failed])).toMatchObject({
      title: 'The answer does not contain "a"',
      reason: 'the answer does not contain "a" and 1 more',
    });
    expect(await failureOf([{ ...failed, error }])).toMatchObject({
      title: "The check contains could not be evaluated",
    });
  });

  it("says so if no assertion failed, or nothing is left of the conversation", async () => {
    expect(await failureOf([])).toMatchObject({ title: "The weighted score is below the threshold", assertion: null });
    expect(describeFailure(null, same)).toMatchObject({
      key: "lost",
      reason: "its conversation is not in the journal",
    });
  });

  it("shows nothing that must be masked, and cuts what is long", async () => {
    const failed = sampleAssertion({ pass: false, score: 0, expected: "x", actual: `ab SECRET ${"y".repeat(500)}` });
    const { columns } = await failureOf([{ ...failed, sensitive: ["ab"] }], (text) => text.replaceAll("SECRET", "***"));
    expect(columns?.["answer"]).toMatch(/^\S+ \*\*\* y{100,160}…$/);
    expect(columns?.["answer"]).not.toContain("ab");
    expect(columns?.["answer"]?.length).toBeLessThanOrEqual(160);
  });

  it("takes messages of users' checks that differ in values alone for one kind", async () => {
    const failed = sampleAssertion({ type: "mine", pass: false, score: 0 });
    const keyOf = async (message: string) => (await failureOf([{ ...failed, message }])).key;
    expect(await keyOf('3 words of "a" are rude')).toBe(await keyOf('12 words of "b \\" c" are rude'));
    expect(await keyOf("3 words are rude")).not.toBe(await keyOf("3 words are long"));
    expect(await keyOf("waited 3 s for gpt-4")).not.toBe(await keyOf("waited 3 s for gpt-5"));
  });

  it.each([
    ['Expected file "a b.js" to contain "x to be", but it is "y"', 'a b.js does not contain "x to be"'],
    ['Expected file "a.js" to match /x/, but it is "y"', "a.js does not match"],
    ['Expected file "a.js" to exist, but it does not', "a.js does not exist"],
    ['Expected file "a.js" to be "x", but it is "y"', "a.js has other content than expected"],
    ['Expected file "a.json" to be JSON, but it is "y"', "a.json is not JSON"],
  ])("names the file of %j", async (message, title) => {
    const failed = sampleAssertion({ type: "file", pass: false, score: 0, message, expected: "x", actual: "y" });
    expect(await failureOf([failed])).toMatchObject({ title, columns: { content: '"y"' } });
  });

  it("has words for every assertion", () => {
    const tried = new Set(cases.map(([{ type }]) => type));
    expect(assertionTypes.filter((type) => !tried.has(type))).toEqual([]);
  });
});
