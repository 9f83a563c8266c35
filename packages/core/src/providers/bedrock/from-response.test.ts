import { describe, expect, it } from "vitest";
import { fromBedrockResponse, BedrockAssembler } from "./from-response.js";

function read(content: readonly unknown[], more: Record<string, unknown> = {}) {
  const result = fromBedrockResponse({ output: { message: { role: "assistant", content } }, ...more }, 3);
  if (!result.success) throw new Error(result.error);
  return result.data;
}

const call = (toolUse: unknown): unknown => ({ toolUse });

describe("fromBedrockResponse", () => {
  it("reads text and parallel calls, and keeps nothing when they say all of it", () => {
    const content = [
      { text: "Let me look." },
      call({ toolUseId: "a", name: "lookup", input: { id: 1 } }),
      call({ toolUseId: "b", name: "lookup", input: {} }),
    ];
    expect(read(content)).toEqual({
      text: "Let me look.",
      toolCalls: [
        { id: "a", tool: "lookup", args: { id: 1 } },
        { id: "b", tool: "lookup", args: {} },
      ],
      finishReason: { unified: "tool_calls", raw: null },
      usage: null,
      modelServed: null,
    });
  });

  it("numbers calls that have no id by turn", () => {
    const { toolCalls } = read([call({ name: "a", input: {} }), call({ toolUseId: "", name: "b" })]);
    expect(toolCalls).toEqual([
      { id: "call_3_1", tool: "a", args: {} },
      { id: "call_3_2", tool: "b", args: {} },
    ]);
  });

  it("keeps malformed arguments as data, and does not send them back", () => {
    const { toolCalls, providerData } = read([
      { text: "a" },
      { text: "\n" },
      { text: "b" },
      call({ name: "a", input: '{"id":' }),
    ]);
    expect(toolCalls).toMatchObject([{ args: undefined, malformed: { raw: '{"id":' } }]);
    expect(providerData).toMatchObject({
      bedrock: { content: [{ text: "a" }, { text: "b" }, { toolUse: { name: "a", input: {} } }] },
    });
  });

  it.each([
    ["signed reasoning", { reasoningContent: { reasoningText: { text: "Hm", signature: "sig" } } }],
    ["hidden reasoning", { reasoningContent: { redactedContent: "eA==" } }],
    ["calls that the provider ran", call({ toolUseId: "s", name: "web", input: {}, type: "server_tool_use" })],
    ["results of such calls", { toolResult: { toolUseId: "s", content: [] } }],
  ])("keeps %s, and takes it for no part of the answer", (_name, block) => {
    const content = [block, { text: "Hi" }];
    expect(read(content)).toMatchObject({ text: "Hi", toolCalls: [], providerData: { bedrock: { content } } });
  });

  it.each([
    ["has no signature", { reasoningText: { text: "Hm" } }],
    ["has an empty signature", { reasoningText: { text: "Hm", signature: "" } }],
    ["is of a kind that is not known", {}],
  ])("drops reasoning that %s", (_name, reasoningContent) => {
    const answer = read([{ reasoningContent }, { text: "Hi" }]);
    expect(answer.text).toBe("Hi");
    expect(answer).toHaveProperty("providerData", undefined);
  });

  it("reads the text of an answer with sources", () => {
    const cited = { citationsContent: { content: [{ text: "It is " }, { text: "so." }], citations: [{ title: "t" }] } };
    expect(read([cited])).toMatchObject({ text: "It is so.", providerData: { bedrock: { content: [cited] } } });
  });

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool_calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["guardrail_intervened", "content_filter"],
    ["content_filtered", "content_filter"],
    ["malformed_tool_use", "other"],
    ["malformed_model_output", "other"],
    ["toString", "other"],
    [null, "other"],
  ])("takes the stop reason %j for %s", (raw, unified) => {
    expect(read([], { stopReason: raw }).finishReason).toEqual({ unified, raw });
  });

  it.each([
    [
      { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
      { inputTokens: 10, outputTokens: 5 },
    ],
    [
      { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 100, cacheWriteInputTokens: 1_000 },
      { inputTokens: 1_110, outputTokens: 5, cachedInputTokens: 100 },
    ],
    [
      { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 0 },
      { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 },
    ],
    [{ inputTokens: 10 }, null],
    ["x", null],
  ])("counts %j as %j", (usage, expected) => {
    expect(read([], { usage }).usage).toEqual(expected);
  });

  it("names the model where a router chose it", () => {
    const trace = { promptRouter: { invokedModelId: "arn:aws:bedrock:us-east-1::foundation-model/m" } };
    expect(read([], { trace }).modelServed).toBe("arn:aws:bedrock:us-east-1::foundation-model/m");
    expect(read([], { trace: { guardrail: {} } }).modelServed).toBe(null);
  });

  it.each([
    [{}, "no message in its body"],
    [{ output: {} }, "no message in its body"],
    [{ output: { message: { content: "x" } } }, "no message in its body"],
    [{ output: { message: { content: ["x"] } } }, "a content block that is not an object"],
    [{ output: { message: { content: [call({ toolUseId: "1" })] } } }, "a tool call that has no name"],
  ])("cannot use %j", (json, error) => {
    expect(fromBedrockResponse(json, 1)).toEqual({ success: false, error });
  });
});

it("reports the tools that the provider of the model ran itself", () => {
  const ran = { type: "server_tool_use", toolUseId: "s1", name: "web_search", input: { query: "weather" } };
  expect(read([{ toolUse: ran }, { text: "Sunny" }])).toMatchObject({
    toolCalls: [],
    ranCalls: [{ tool: "web_search", args: { query: "weather" } }],
  });
});

type Events = readonly (readonly [string, Record<string, unknown>])[];

function assemble(events: Events) {
  const assembler = new BedrockAssembler();
  const steps = events.map(([name, data]) => assembler.add({ name, data }).kind);
  return { steps, json: assembler.finish(), text: assembler.text };
}

const delta = (contentBlockIndex: number, piece: unknown) =>
  ["contentBlockDelta", { contentBlockIndex, delta: piece }] as const;
const start = (contentBlockIndex: number, what: unknown) =>
  ["contentBlockStart", { contentBlockIndex, start: what }] as const;
const stop = ["messageStop", { stopReason: "end_turn" }] as const;
const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };

function contentOf(events: Events): unknown {
  const { json } = assemble([...events, stop]);
  return (json?.["output"] as { message: { content: unknown } } | undefined)?.message.content;
}

describe("BedrockAssembler", () => {
  it("gives the body of Converse, and ends with the metadata", () => {
    const { steps, json, text } = assemble([
      ["messageStart", { role: "assistant", p: "abc" }],
      delta(0, { text: "Hel" }),
      delta(0, { text: "lo" }),
      ["contentBlockStop", { contentBlockIndex: 0 }],
      start(1, { toolUse: { toolUseId: "t", name: "lookup" } }),
      delta(1, { toolUse: { input: '{"id"' } }),
      delta(1, { toolUse: { input: ":1}" } }),
      ["contentBlockStop", { contentBlockIndex: 1 }],
      ["messageStop", { stopReason: "tool_use" }],
      ["metadata", { usage, metrics: { latencyMs: 9 } }],
    ]);
    expect(steps).toEqual([
      "meta",
      "content",
      "content",
      "meta",
      "content",
      "content",
      "content",
      "meta",
      "meta",
      "end",
    ]);
    expect(text).toBe("Hello");
    expect(json).toMatchObject({
      output: {
        message: {
          role: "assistant",
          content: [{ text: "Hello" }, { toolUse: { toolUseId: "t", name: "lookup", input: { id: 1 } } }],
        },
      },
      stopReason: "tool_use",
      usage,
    });
  });

  it("keeps the order of the blocks whatever the order of their pieces", () => {
    expect(contentOf([delta(0, { text: "a" }), delta(1, { text: "b" }), delta(0, { text: "c" })])).toEqual([
      { text: "ac" },
      { text: "b" },
    ]);
  });

  it("puts reasoning together with its signature, and hidden reasoning as bytes", () => {
    const bytes = (text: string): string => Buffer.from(text).toString("base64");
    const events = [
      delta(0, { reasoningContent: { text: "H" } }),
      delta(0, { reasoningContent: { text: "m" } }),
      delta(0, { reasoningContent: { signature: "sig" } }),
      delta(1, { reasoningContent: { redactedContent: bytes("a") } }),
      delta(1, { reasoningContent: { redactedContent: bytes("bc") } }),
      delta(2, { reasoningContent: { text: "unsigned" } }),
    ];
    expect(contentOf(events)).toEqual([
      { reasoningContent: { reasoningText: { text: "Hm", signature: "sig" } } },
      { reasoningContent: { redactedContent: bytes("abc") } },
      { reasoningContent: { reasoningText: { text: "unsigned" } } },
    ]);
    expect(assemble(events).steps).toEqual(events.map(() => "meta"));
    expect(assemble(events).text).toBe("");
  });

  it("puts sources and results of the provider's own tools together", () => {
    const events = [
      start(0, { toolResult: { toolUseId: "s", type: "web" } }),
      delta(0, { toolResult: [{ text: "a" }] }),
      delta(0, { toolResult: [{ text: "b" }] }),
      delta(1, { text: "So." }),
      delta(1, { citation: { title: "t" } }),
      start(2, { image: { format: "png" } }),
    ];
    expect(contentOf(events)).toEqual([
      { toolResult: { toolUseId: "s", type: "web", content: [{ text: "a" }, { text: "b" }] } },
      { citationsContent: { content: [{ text: "So." }], citations: [{ title: "t" }] } },
    ]);
  });

  it.each([
    ["", {}],
    ['{"a":1}', { a: 1 }],
    ['{"a":', '{"a":'],
  ])("reads the arguments %j as %j", (input, expected) => {
    const events = [start(0, { toolUse: { toolUseId: "t", name: "n" } }), delta(0, { toolUse: { input } })];
    expect(contentOf(events)).toEqual([{ toolUse: { toolUseId: "t", name: "n", input: expected } }]);
  });

  it("has no answer before the message stopped, and one without usage when the metadata never came", () => {
    expect(assemble([["messageStart", { role: "assistant" }], delta(0, { text: "Hi" })]).json).toBe(null);
    expect(assemble([delta(0, { text: "Hi" }), stop]).json).toMatchObject({ stopReason: "end_turn" });
    expect(assemble([["metadata", { usage }]])).toMatchObject({ steps: ["meta"], json: null });
  });

  it("passes over events that it does not know, and empty text", () => {
    expect(assemble([["novelty", {}], delta(0, { text: "" }), delta(0, { audio: {} }), delta(0, null)]).steps).toEqual([
      "none",
      "meta",
      "meta",
      "meta",
    ]);
  });

  it.each([
    ["throttlingException", 429],
    ["validationException", 400],
    ["internalServerException", 500],
    ["modelStreamErrorException", 424],
    ["serviceUnavailableException", 503],
    ["modelTimeoutException", 408],
    ["AccessDeniedException", 403],
    ["constructor", 500],
    ["somethingNewException", 500],
  ])("takes %s for a reply of status %i", (name, status) => {
    const data = { message: "no", __type: name };
    const step = new BedrockAssembler().add({ name, data });
    expect(step).toEqual({ kind: "error", status, body: JSON.stringify(data) });
  });
});
