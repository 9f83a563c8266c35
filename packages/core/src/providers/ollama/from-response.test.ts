import { describe, expect, it } from "vitest";
import { fromOllamaResponse } from "./from-response.js";

function read(message: unknown, rest: Record<string, unknown> = { done_reason: "stop" }) {
  const result = fromOllamaResponse({ model: "qwen3:8b", message, done: true, ...rest }, 3);
  if (!result.success) throw new Error(result.error);
  return result.data;
}

describe("fromOllamaResponse", () => {
  it("reads text, model and usage", () => {
    const counts = { done_reason: "stop", prompt_eval_count: 11, eval_count: 18, total_duration: 1 };
    expect(read({ role: "assistant", content: "Hi" }, counts)).toEqual({
      text: "Hi",
      toolCalls: [],
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: 11, outputTokens: 18 },
      modelServed: "qwen3:8b",
    });
  });

  it("takes a count that is left out for zero, and two for none", () => {
    expect(read({ content: "Hi" }, { eval_count: 18 }).usage).toEqual({ inputTokens: 0, outputTokens: 18 });
    expect(read({ content: "Hi" }, { prompt_eval_count: 11 }).usage).toEqual({ inputTokens: 11, outputTokens: 0 });
    expect(read({ content: "Hi" }).usage).toBeNull();
  });

  it("reads parallel calls, and numbers the ones without an id", () => {
    const calls = [
      { id: "call_x1", function: { index: 0, name: "look", arguments: { id: 1 } } },
      { function: { name: "look", arguments: { id: 2 } } },
      { function: { name: "list" } },
      { function: { name: "look", arguments: "{oops" } },
    ];
    expect(read({ content: "", tool_calls: calls }).toolCalls).toEqual([
      { id: "call_x1", tool: "look", args: { id: 1 } },
      { id: "call_3_2", tool: "look", args: { id: 2 } },
      { id: "call_3_3", tool: "list", args: {} },
      {
        id: "call_3_4",
        tool: "look",
        args: undefined,
        malformed: { raw: "{oops", reason: expect.stringMatching(/JSON/) as string },
      },
    ]);
  });

  it.each([
    ["stop", false, "stop"],
    ["stop", true, "tool_calls"],
    ["length", false, "length"],
    ["length", true, "length"],
    ["", true, "tool_calls"],
    ["", false, "other"],
    ["odd", false, "other"],
  ])("takes done_reason %j with calls %j for %s", (raw, hasCalls, unified) => {
    const calls = hasCalls ? [{ function: { name: "look", arguments: {} } }] : [];
    const message = { content: "", tool_calls: calls };
    expect(read(message, { done_reason: raw }).finishReason).toEqual({ unified, raw: raw === "" ? null : raw });
  });

  it("keeps the thinking for the next turn", () => {
    expect(read({ content: "4", thinking: "Two and two." })).toMatchObject({
      text: "4",
      providerData: { ollama: { thinking: "Two and two." } },
    });
    expect(read({ content: "4", thinking: "" })).toHaveProperty("providerData", undefined);
  });

  it.each(["load", "unload"])("does not take an empty message after %s for an answer", (reason) => {
    const json = { model: "m", message: { role: "assistant", content: "" }, done: true, done_reason: reason };
    expect(fromOllamaResponse(json, 1)).toEqual({
      success: false,
      error: `no answer, the model was only ${reason}ed, as happens when no message asks for one`,
    });
  });

  it.each([
    [{}, "no message in its body"],
    [{ message: "Hi" }, "no message in its body"],
    [{ message: { tool_calls: [{ function: {} }] } }, "a tool call that has no function name"],
  ])("cannot use %j", (json, error) => {
    expect(fromOllamaResponse(json, 1)).toEqual({ success: false, error });
  });
});
