import { describe, expect, it } from "vitest";
import { fromBedrockResponse } from "./from-response.js";

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

it("tells of the tools that the provider of the model ran itself", () => {
  const ran = { type: "server_tool_use", toolUseId: "s1", name: "web_search", input: { query: "weather" } };
  expect(read([{ toolUse: ran }, { text: "Sunny" }])).toMatchObject({
    toolCalls: [],
    ranCalls: [{ tool: "web_search", args: { query: "weather" } }],
  });
});
