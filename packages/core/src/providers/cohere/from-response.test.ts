import { describe, expect, it } from "vitest";
import { fromCohereResponse } from "./from-response.js";

function read(message: unknown, finish: unknown = "COMPLETE", rest: Record<string, unknown> = {}) {
  const result = fromCohereResponse({ id: "c", message, finish_reason: finish, ...rest }, 3);
  if (!result.success) throw new Error(JSON.stringify(result.error));
  return result.data;
}

const text = { type: "text", text: "Hi" };
const thinking = { type: "thinking", thinking: "Hm." };
const call = { id: "lookup_1", type: "function", function: { name: "lookup", arguments: '{"id":1}' } };
const tokens = { input_tokens: 913, output_tokens: 83 };

describe("fromCohereResponse", () => {
  it("reads text and the billed usage, and ignores citations", () => {
    const usage = { billed_units: { input_tokens: 37, output_tokens: 28 }, tokens, cached_tokens: 800 };
    expect(read({ role: "assistant", content: [text], citations: [{ start: 0 }] }, "COMPLETE", { usage })).toEqual({
      text: "Hi",
      toolCalls: [],
      finishReason: { unified: "stop", raw: "COMPLETE" },
      usage: { inputTokens: 37, outputTokens: 28 },
      modelServed: null,
    });
  });

  it.each([
    [
      { tokens, cached_tokens: 800 },
      { inputTokens: 913, outputTokens: 83, cachedInputTokens: 800 },
    ],
    [
      { tokens, billed_units: { search_units: 1 } },
      { inputTokens: 913, outputTokens: 83 },
    ],
    [{ billed_units: null }, null],
    [undefined, null],
  ])("takes from the usage %j the counts %j", (usage, expected) => {
    expect(read({ content: [text] }, "COMPLETE", { usage }).usage).toEqual(expected);
  });

  it("reads parallel calls, without ids too, and keeps malformed arguments as data", () => {
    const broken = { type: "function", function: { name: "lookup", arguments: "{oops" } };
    expect(read({ tool_calls: [call, broken] }, "TOOL_CALL").toolCalls).toEqual([
      { id: "lookup_1", tool: "lookup", args: { id: 1 } },
      {
        id: "call_3_2",
        tool: "lookup",
        args: undefined,
        malformed: { raw: "{oops", reason: expect.stringMatching(/JSON/) as string },
      },
    ]);
  });

  it.each([
    ["the plan", { tool_plan: "I will look.", tool_calls: [call] }, { tool_plan: "I will look." }],
    ["thoughts before calls", { content: [thinking], tool_calls: [call] }, { content: [thinking] }],
    ["text beside calls", { content: [text], tool_calls: [call] }, { content: [text] }],
    ["thoughts before text", { content: [thinking, text] }, { content: [thinking, text] }],
  ])("keeps %s to send it back", (_name, message, kept) => {
    expect(read(message).providerData).toEqual({ cohere: kept });
  });

  it("takes neither plan nor thoughts for the answer", () => {
    expect(read({ tool_plan: "p", content: [thinking, text] }).text).toBe("Hi");
    expect(read({ tool_plan: "p", tool_calls: [call] }).text).toBe("");
  });

  it("keeps nothing that text and calls already say", () => {
    expect(read({ content: [text] })).toHaveProperty("providerData", undefined);
    expect(read({ tool_plan: "", content: [], tool_calls: [call] })).toHaveProperty("providerData", undefined);
  });

  it("reads content that is plain text", () => {
    expect(read({ content: "Hi" })).toMatchObject({ text: "Hi" });
  });

  it.each([
    ["COMPLETE", "stop"],
    ["STOP_SEQUENCE", "stop"],
    ["MAX_TOKENS", "length"],
    ["TOOL_CALL", "tool_calls"],
    ["toString", "other"],
    [null, "other"],
  ])("takes the finish reason %j for %s", (raw, unified) => {
    expect(read({ content: [] }, raw).finishReason).toEqual({ unified, raw });
  });

  it.each([
    ["COMPLETE", "tool_calls"],
    [null, "tool_calls"],
    ["MAX_TOKENS", "length"],
  ])("weighs calls against the finish reason %j", (raw, unified) => {
    expect(read({ tool_calls: [call] }, raw).finishReason).toEqual({ unified, raw });
  });

  it.each([
    [{}, "no message in its body"],
    [{ message: { tool_calls: [{ id: "1" }] } }, "a tool call that has no function name"],
  ])("cannot use %j", (json, error) => {
    expect(fromCohereResponse(json, 1)).toEqual({ success: false, error });
  });

  it.each([
    ["ERROR", 500],
    ["TIMEOUT", 504],
  ])("takes %s for the error reply %i that it would have been", (finish, status) => {
    const json = { message: { content: [text] }, finish_reason: finish };
    expect(fromCohereResponse(json, 1)).toEqual({ success: false, error: { status, body: JSON.stringify(json) } });
  });
});
