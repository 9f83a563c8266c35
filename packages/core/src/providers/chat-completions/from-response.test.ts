import { describe, expect, it } from "vitest";
import { fromChatResponse } from "./from-response.js";

function read(message: unknown, finish: unknown = "stop", rest: Record<string, unknown> = {}) {
  const result = fromChatResponse({ choices: [{ index: 0, message, finish_reason: finish }], ...rest }, 3);
  if (!result.success) throw new Error(result.error);
  return result.data;
}

const call = { id: "call_9", type: "function", function: { name: "lookup", arguments: '{"id":1}' } };

describe("fromChatResponse", () => {
  it("reads text, model and usage with its details", () => {
    const usage = {
      prompt_tokens: 82,
      completion_tokens: 17,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 5 },
    };
    expect(read({ role: "assistant", content: "Hi", refusal: null }, "stop", { model: "gpt-x", usage })).toEqual({
      text: "Hi",
      toolCalls: [],
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: 82, outputTokens: 17, cachedInputTokens: 64, reasoningTokens: 5 },
      modelServed: "gpt-x",
    });
  });

  it("knows no usage and no model where the server says none", () => {
    expect(read({ content: "Hi" })).toMatchObject({ usage: null, modelServed: null });
    expect(read({ content: "Hi" }, "stop", { usage: { prompt_tokens: 3 } }).usage).toBeNull();
  });

  it("reads parallel tool calls, and keeps malformed arguments as data", () => {
    const broken = { id: "call_10", type: "function", function: { name: "lookup", arguments: "{oops" } };
    expect(read({ content: null, tool_calls: [call, broken] }, "tool_calls").toolCalls).toEqual([
      { id: "call_9", tool: "lookup", args: { id: 1 } },
      {
        id: "call_10",
        tool: "lookup",
        args: undefined,
        malformed: { raw: "{oops", reason: expect.stringMatching(/JSON/) as string },
      },
    ]);
  });

  it("gets along with servers that send no ids, parsed arguments or none", () => {
    const calls = [
      { type: "function", function: { name: "a", arguments: { x: 1 } } },
      { id: "", function: { name: "b" } },
    ];
    expect(read({ tool_calls: calls }).toolCalls).toEqual([
      { id: "call_3_1", tool: "a", args: { x: 1 } },
      { id: "call_3_2", tool: "b", args: {} },
    ]);
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["tool_calls", "tool_calls"],
    ["function_call", "tool_calls"],
    ["content_filter", "content_filter"],
    ["eos", "other"],
    ["constructor", "other"],
    [null, "other"],
  ])("takes the finish reason %j for %s", (raw, unified) => {
    expect(read({ content: "" }, raw).finishReason).toEqual({ unified, raw });
  });

  it.each([["stop"], [null]])("believes tool calls more than the finish reason %j", (raw) => {
    expect(read({ tool_calls: [call] }, raw).finishReason).toEqual({ unified: "tool_calls", raw });
  });

  it("takes a refusal for an answer with its own finish reason", () => {
    expect(read({ content: null, refusal: "I cannot help." })).toMatchObject({
      text: "I cannot help.",
      finishReason: { unified: "refusal", raw: "stop" },
    });
  });

  it("keeps reasoning beside tool calls to send it back", () => {
    const message = { content: null, reasoning_content: "Hm", tool_calls: [call] };
    expect(read(message).providerData).toEqual({ openaiChat: { reasoning_content: "Hm" } });
    expect(read({ content: "Hi", reasoning_content: "Hm" })).toHaveProperty("providerData", undefined);
  });

  it("joins text that comes in parts", () => {
    expect(
      read({
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      }).text,
    ).toBe("ab");
  });

  it.each([
    [{}, "no choice in its body"],
    [{ choices: [] }, "no choice in its body"],
    [{ choices: [{}] }, "no choice in its body"],
    [{ choices: "x" }, "no choice in its body"],
    [{ choices: [{ message: { content: "Hal" }, finish_reason: "error" }] }, "an answer that it broke off (error)"],
    [{ choices: [{ message: { tool_calls: [{ id: "1" }] } }] }, "a tool call that has no function name"],
  ])("cannot use %j", (json, error) => {
    expect(fromChatResponse(json, 1)).toEqual({ success: false, error });
  });
});
