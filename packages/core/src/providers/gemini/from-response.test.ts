import { describe, expect, it } from "vitest";
import { fromGeminiResponse } from "./from-response.js";

function read(parts: unknown, finish: unknown = "STOP", rest: Record<string, unknown> = {}) {
  const candidate = { content: { role: "model", parts }, finishReason: finish, index: 0 };
  const result = fromGeminiResponse({ candidates: [candidate], ...rest }, 3);
  if (!result.success) throw new Error(result.error);
  return result.data;
}

const text = { text: "Let me look." };
const call = { functionCall: { id: "fc_1", name: "lookup", args: { id: 1 } } };

describe("fromGeminiResponse", () => {
  it("reads text, calls, model and usage, thoughts being part of the output", () => {
    const usageMetadata = {
      promptTokenCount: 80,
      toolUsePromptTokenCount: 2,
      candidatesTokenCount: 12,
      thoughtsTokenCount: 5,
      cachedContentTokenCount: 64,
      totalTokenCount: 99,
    };
    expect(read([text, call], "STOP", { modelVersion: "gemini-3-flash-001", usageMetadata })).toEqual({
      text: "Let me look.",
      toolCalls: [{ id: "fc_1", tool: "lookup", args: { id: 1 } }],
      finishReason: { unified: "tool_calls", raw: "STOP" },
      usage: { inputTokens: 82, outputTokens: 17, cachedInputTokens: 64, reasoningTokens: 5 },
      modelServed: "gemini-3-flash-001",
    });
  });

  it("takes counts that are left out for zero, and knows no usage where there is none", () => {
    const usageMetadata = { promptTokenCount: 4, totalTokenCount: 4 };
    expect(read([text], "STOP", { usageMetadata }).usage).toEqual({ inputTokens: 4, outputTokens: 0 });
    expect(read([text])).toMatchObject({ usage: null, modelServed: null });
  });

  it("numbers calls that come without an id, parallel ones too", () => {
    const bare = { functionCall: { name: "lookup" } };
    expect(read([bare, call, { functionCall: { id: "", name: "lookup", args: null } }]).toolCalls).toEqual([
      { id: "call_3_1", tool: "lookup", args: {} },
      { id: "fc_1", tool: "lookup", args: { id: 1 } },
      { id: "call_3_3", tool: "lookup", args: {} },
    ]);
  });

  it("does not take thoughts for the answer", () => {
    expect(read([{ text: "Hm.", thought: true }, { text: "Hi" }]).text).toBe("Hi");
  });

  it.each([
    ["a signed call", [{ ...call, thoughtSignature: "sig" }, call]],
    ["a signed text", [{ text: "Hi", thoughtSignature: "sig" }]],
    ["thoughts", [{ text: "Hm.", thought: true }, call]],
    ["a call without an id", [{ functionCall: { name: "lookup", args: {} } }]],
    ["text after a call", [call, text]],
    ["what is not known here", [{ executableCode: { code: "1" } }]],
  ])("keeps %s to send it back", (_name, parts) => {
    expect(read(parts).providerData).toEqual({ gemini: { parts } });
  });

  it("keeps nothing that text and calls already say", () => {
    expect(read([text, call, call])).toHaveProperty("providerData", undefined);
  });

  it.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "other"],
    ["UNEXPECTED_TOOL_CALL", "other"],
    ["toString", "other"],
    [undefined, "other"],
  ])("takes the finish reason %j for %s", (raw, unified) => {
    expect(read([], raw === undefined ? null : raw).finishReason).toEqual({ unified, raw: raw ?? null });
  });

  it("believes a cut more than the calls before it", () => {
    expect(read([call], "MAX_TOKENS").finishReason).toEqual({ unified: "length", raw: "MAX_TOKENS" });
  });

  it("takes an answer that was held back for an answer", () => {
    const withheld = [{ finishReason: "SAFETY", index: 0 }];
    expect(fromGeminiResponse({ candidates: withheld }, 1)).toMatchObject({
      success: true,
      data: { text: "", toolCalls: [], finishReason: { unified: "content_filter", raw: "SAFETY" } },
    });
  });

  it("takes a blocked prompt for an answer", () => {
    const json = {
      promptFeedback: { blockReason: "OTHER" },
      usageMetadata: { promptTokenCount: 4 },
      modelVersion: "m",
    };
    expect(fromGeminiResponse(json, 1)).toEqual({
      success: true,
      data: {
        text: "",
        toolCalls: [],
        finishReason: { unified: "content_filter", raw: "OTHER" },
        usage: { inputTokens: 4, outputTokens: 0 },
        modelServed: "m",
      },
    });
  });

  it.each([
    [{}, "no candidate in its body"],
    [{ candidates: [], promptFeedback: {} }, "no candidate in its body"],
    [{ candidates: "x" }, "no candidate in its body"],
    [{ candidates: [{ content: "x" }] }, "content that has no parts"],
    [{ candidates: [{ content: { parts: {} } }] }, "content that has no parts"],
    [{ candidates: [{ content: { parts: ["x"] } }] }, "a part that is not an object"],
    [{ candidates: [{ content: { parts: [{ functionCall: { args: {} } }] } }] }, "a tool call that has no name"],
  ])("cannot use %j", (json, error) => {
    expect(fromGeminiResponse(json, 1)).toEqual({ success: false, error });
  });
});

it("reports the code and the tools that Google ran itself", () => {
  const code = { language: "PYTHON", code: "print(1)" };
  const search = { id: "1", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["weather"] } };
  expect(read([{ executableCode: code }, { toolCall: search }, { text: "Sunny" }])).toMatchObject({
    toolCalls: [],
    ranCalls: [
      { tool: "code_execution", args: code },
      { tool: "GOOGLE_SEARCH_WEB", args: { queries: ["weather"] } },
    ],
  });
});
