import { describe, expect, it } from "vitest";
import { spansOfJson } from "./otlp-json.js";
import { readTrace } from "./read-trace.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";
let last = 0;

type Value = string | number | readonly string[];

const valueOf = (value: Value): object => {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "number") return { intValue: String(value) };
  return { arrayValue: { values: value.map(valueOf) } };
};

const pairs = (attributes: Record<string, Value>): object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));

interface Given {
  id?: string;
  parent?: string;
  at?: number;
  error?: string;
  dropped?: number;
  events?: readonly (readonly [string, Record<string, Value>])[];
}

/** A span that takes 100 ms. */
function span(name: string, attributes: Record<string, Value>, given: Given = {}): object {
  const { id = String((last += 1)).padStart(16, "a"), parent, at = last, error, dropped = 0, events = [] } = given;
  return {
    traceId,
    spanId: id,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name,
    startTimeUnixNano: String(1_760_000_000_000_000_000n + BigInt(at) * 1_000_000_000n),
    endTimeUnixNano: String(1_760_000_000_100_000_000n + BigInt(at) * 1_000_000_000n),
    attributes: pairs(attributes),
    events: events.map(([event, of]) => ({ name: event, attributes: pairs(of) })),
    droppedAttributesCount: dropped,
    ...(error === undefined ? {} : { status: { code: 2, message: error } }),
  };
}

function traceOf(...spans: readonly object[]) {
  const parsed = spansOfJson(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  return readTrace(parsed.success ? parsed.data : [], "refund");
}

function toldOf(...spans: readonly object[]) {
  const read = traceOf(...spans);
  if (!read.success) throw new Error(read.error.map(({ message }) => message).join("\n"));
  return read.data.told;
}

function problemsOf(...spans: readonly object[]): readonly string[] {
  const read = traceOf(...spans);
  return read.success ? [] : read.error.map(({ message }) => message);
}

const json = JSON.stringify;
const call = { type: "tool_call", id: "c1", name: "look", arguments: { id: 7 } };
const asked = { role: "user", parts: [{ type: "text", content: "Where is 7?" }] };
const calling = { role: "assistant", parts: [call], finish_reason: "tool_call" };
const answered = { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: { status: "sent" } }] };
const done = { role: "assistant", parts: [{ type: "text", content: "It is sent" }], finish_reason: "stop" };

const chat = (input: unknown, output: unknown, more: Record<string, Value> = {}, given: Given = {}) =>
  span(
    "chat m",
    {
      "gen_ai.operation.name": "chat",
      "gen_ai.response.model": "m-1",
      "gen_ai.input.messages": json(input),
      "gen_ai.output.messages": json(output),
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 2,
      ...more,
    },
    given,
  );

const expected = {
  output: "It is sent",
  turns: 2,
  toolCalls: [{ tool: "look", args: { id: 7 }, result: { status: "sent" }, turn: 1, userTurn: 1 }],
};

describe("versions of the conventions for generative AI", () => {
  it("reads messages as attributes, with tools, usage and times", () => {
    const told = toldOf(
      chat([asked], [calling]),
      span("execute_tool look", {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.id": "c1",
      }),
      chat([asked, calling, answered], [done]),
    );
    expect(told).toMatchObject({
      ...expected,
      toolCalls: [{ ...expected.toolCalls[0], durationMs: 100 }],
      usage: { inputTokens: 20, outputTokens: 4 },
      servedBy: ["m-1"],
      finishReason: "stop",
    });
    expect(told.latencyMs).toBeCloseTo(200);
  });

  it("passes over plans, workflows, memories and searches, and reads the requests below a plan", () => {
    const of = (operation: string, given: Given = {}) =>
      span(operation, { "gen_ai.operation.name": operation, "gen_ai.agent.name": "crew" }, given);
    const plan = "b".repeat(16);
    const told = toldOf(
      of("invoke_workflow"),
      of("search_memory"),
      of("plan", { id: plan }),
      chat([asked], [calling], {}, { parent: plan }),
      of("upsert_memory", { parent: plan }),
      of("retrieval"),
      chat([asked, calling, answered], [done]),
      of("update_memory"),
    );
    expect(told).toMatchObject(expected);
  });

  it.each([
    [{ type: "web_search", arguments: { query: "7" } }, { query: "7" }],
    [{ type: "web_search", input: { query: "7" } }, { query: "7" }],
    [{ type: "web_search", query: "7" }, { query: "7" }],
  ])("reads calls of tools that the provider ran, whose arguments are in %o", (details, args) => {
    const parts = [
      { type: "server_tool_call", id: "s1", name: "web_search", server_tool_call: details },
      { type: "server_tool_call_response", id: "s1", server_tool_call_response: { type: "web_search", hits: 2 } },
      { type: "text", content: "It is sent" },
    ];
    const told = toldOf(chat([asked], [{ role: "assistant", parts, finish_reason: "stop" }]));
    expect(told).toMatchObject({
      output: "It is sent",
      toolCalls: [{ tool: "web_search", args, result: { hits: 2 } }],
    });
  });

  it("reads an event for each message", () => {
    const user = ["gen_ai.user.message", { content: "Where is 7?" }] as const;
    const calls = json([{ id: "c1", type: "function", function: { name: "look", arguments: '{"id":7}' } }]);
    const tool = ["gen_ai.tool.message", { id: "c1", content: '{"status":"sent"}' }] as const;
    const model = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai", "gen_ai.request.model": "m" };
    const first = [
      "gen_ai.choice",
      { index: 0, finish_reason: "tool_calls", message: `{"tool_calls":${calls}}` },
    ] as const;
    const second = ["gen_ai.choice", { index: 0, finish_reason: "stop", message: '{"content":"It is sent"}' }] as const;
    const told = toldOf(
      span("chat", model, { events: [user, first] }),
      span("chat", model, { events: [user, ["gen_ai.assistant.message", { tool_calls: calls }], tool, second] }),
    );
    expect(told).toMatchObject({ ...expected, finishReason: "stop" });
  });

  it("reads an event for the prompt and one for the answer, and numbered attributes", () => {
    const model = { "gen_ai.request.model": "m" };
    const prompt = json([{ role: "user", content: "hi" }]);
    const completion = json([{ role: "assistant", content: "Hello" }]);
    const events = [
      ["gen_ai.content.prompt", { "gen_ai.prompt": prompt }],
      ["gen_ai.content.completion", { "gen_ai.completion": completion }],
    ] as const;
    expect(toldOf(span("chat", model, { events }))).toMatchObject({ output: "Hello", turns: 1 });
    const numbered = {
      ...model,
      "gen_ai.prompt.0.role": "user",
      "gen_ai.prompt.0.content": "hi",
      "gen_ai.completion.0.role": "assistant",
      "gen_ai.completion.0.tool_calls.0.id": "c1",
      "gen_ai.completion.0.tool_calls.0.name": "look",
      "gen_ai.completion.0.tool_calls.0.arguments": '{"id":7}',
    };
    expect(toldOf(span("chat", numbered))).toMatchObject({ toolCalls: [{ tool: "look", args: { id: 7 } }] });
  });
});

describe("a tree of spans", () => {
  it("reads spans in any order, each once", () => {
    const first = chat([asked], [calling], {}, { at: 901 });
    const second = chat([asked, calling, answered], [done], {}, { at: 902 });
    expect(toldOf(second, first, second, first)).toMatchObject(expected);
  });

  it("takes the whole span if it was sent before it ended, too", () => {
    const id = "9".repeat(16);
    const running = span("chat m", { "gen_ai.operation.name": "chat" }, { id, at: 1, error: "still running" });
    const whole = chat([asked], [done], {}, { id, at: 2 });
    expect(toldOf(running, whole)).toMatchObject({ output: "It is sent", turns: 1 });
    expect(toldOf(whole, running)).toMatchObject({ output: "It is sent", turns: 1 });
  });

  it("gives a tool the conversation that it held with another agent", () => {
    const [agent, tool] = ["b".repeat(16), "c".repeat(16)];
    const told = toldOf(
      chat([asked], [calling]),
      span(
        "execute_tool look",
        { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "gen_ai.tool.call.id": "c1" },
        { id: tool },
      ),
      span(
        "invoke_agent finder",
        { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "finder" },
        { id: agent, parent: tool },
      ),
      chat([{ role: "user", parts: [{ type: "text", content: "find" }] }], [done], {}, { parent: agent }),
      chat([asked, calling, answered], [done]),
    );
    expect(told.turns).toBe(2);
    expect(told.toolCalls?.[0]?.delegation).toMatchObject({ template: "finder", model: "m-1", turns: [{ turn: 1 }] });
  });

  it("does not take what an agent is given for words of a user, and survives circles", () => {
    const told = toldOf(
      chat([asked], [done], {}, { id: "d".repeat(16), parent: "e".repeat(16) }),
      span("loop", {}, { id: "e".repeat(16), parent: "e".repeat(16) }),
      chat([{ role: "user", parts: [{ type: "text", content: "Review it" }] }], [done]),
    );
    expect(told.userTurns).toHaveLength(1);
    expect(told.messages?.[2]).toMatchObject({ role: "user", isNudge: true });
  });

  it("counts a tool that no answer asked for, and an error of one", () => {
    const run = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "wipe" };
    const told = toldOf(chat([asked], [done]), span("execute_tool wipe", run, { error: "disk is locked" }));
    expect(told.toolCalls).toMatchObject([
      { tool: "wipe", error: { errorType: "logical", message: "disk is locked" }, turn: 1 },
    ]);
  });
});

describe("what cannot be read", () => {
  it("is reported with the id of its span", () => {
    const id = "f".repeat(16);
    const chatSpan = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" };
    const cut = { ...chatSpan, "gen_ai.input.messages": '[{"role":"us' };
    expect(problemsOf(span("chat m", chatSpan, { id }))).toEqual([
      `Span ${id} (chat m): the messages of the model are not recorded`,
    ]);
    expect(problemsOf(span("chat m", chatSpan, { id, dropped: 3 }))[0]).toBe(
      `Span ${id} (chat m): 3 of its attributes were cut off`,
    );
    expect(problemsOf(span("chat m", cut, { id }))[0]).toBe(
      `Span ${id} (chat m): gen_ai.input.messages is not valid JSON: the exporter may have cut it off`,
    );
    expect(problemsOf(span("x", { "gen_ai.operation.name": "launch" }, { id }))[0]).toBe(
      `Span ${id} (x): gen_ai.operation.name is "launch", which is not known and could be a tool call`,
    );
    const hidden = {
      "openinference.span.kind": "LLM",
      "llm.input_messages.0.message.role": "user",
      "llm.input_messages.0.message.content": "__REDACTED__",
    };
    expect(problemsOf(span("llm", hidden, { id }))[0]).toContain("the messages of the model are not recorded");
  });

  it("is a part that is not known, a failed last request, or no model at all", () => {
    const odd = { role: "assistant", parts: [{ type: "launch", name: "rocket" }] };
    expect(problemsOf(chat([asked], [odd]))[0]).toContain('has the type "launch", which is not known');
    const first = chat([asked], [calling]);
    const failed = span("chat m", { "gen_ai.operation.name": "chat" }, { error: "overloaded" });
    expect(problemsOf(first, failed)[0]).toContain("the last request to the model failed: overloaded");
    const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look" };
    expect(problemsOf(span("execute_tool look", tool))[0]).toContain("has no span of a model");
  });

  it("survives names as long as a book", () => {
    const model = { "openinference.span.kind": "LLM", [`llm.input_messages.0.message.a${".0".repeat(50_000)}`]: "x" };
    expect(problemsOf(span("llm", model))[0]).toContain("the messages of the model are not recorded");
  });

  it("names the test of its attributes, wherever they are", () => {
    const named = traceOf(
      chat([asked], [done], { "ai.telemetry.metadata.kindlm.test": "orders/found", metadata: '{"kindlm.row":"3"}' }),
    );
    expect(named.success && named.data.address).toMatchObject({ test: "orders/found", row: "3" });
  });
});
