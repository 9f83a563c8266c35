import { describe, expect, it } from "vitest";
import { fromMistralResponse } from "./from-response.js";

function read(message: unknown, finish: unknown = "stop", rest: Record<string, unknown> = {}) {
  const result = fromMistralResponse({ choices: [{ index: 0, message, finish_reason: finish }], ...rest }, 3);
  if (!result.success) throw new Error(result.error);
  return result.data;
}

describe("fromMistralResponse", () => {
  it("reads text, model and usage", () => {
    const usage = { prompt_tokens: 10, total_tokens: 56, completion_tokens: 46 };
    expect(read({ role: "assistant", content: "4" }, "stop", { model: "mistral-small-latest", usage })).toEqual({
      text: "4",
      toolCalls: [],
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: 10, outputTokens: 46 },
      modelServed: "mistral-small-latest",
    });
  });

  it.each([
    [{ num_cached_tokens: 4 }],
    [{ prompt_token_details: { cached_tokens: 4 } }],
    [{ prompt_tokens_details: { cached_tokens: 4 }, num_cached_tokens: 9 }],
  ])("counts cached tokens by %j", (counts) => {
    const usage = { prompt_tokens: 10, completion_tokens: 6, ...counts };
    expect(read({ content: "" }, "stop", { usage }).usage).toMatchObject({ cachedInputTokens: 4 });
  });

  it("numbers calls whose id is missing or the word null", () => {
    const called = { name: "lookup", arguments: '{"id":1}' };
    const calls = [{ id: "gSIMJiOkT", function: called }, { id: "null", function: called }, { function: called }];
    const { toolCalls, finishReason } = read({ content: "", tool_calls: calls }, "tool_calls");
    expect(toolCalls.map(({ id }) => id)).toEqual(["gSIMJiOkT", "call_3_2", "call_3_3"]);
    expect(finishReason.unified).toBe("tool_calls");
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["model_length", "length"],
    ["tool_calls", "tool_calls"],
  ])("takes the finish reason %s for %s", (raw, unified) => {
    expect(read({ content: "" }, raw).finishReason).toEqual({ unified, raw });
  });

  it("reads the text of chunks, and keeps all of them when there is more", () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "Two and two." }] },
      { type: "text", text: "It is " },
      { type: "reference", reference_ids: [1] },
      { type: "text", text: "4." },
    ];
    expect(read({ content })).toMatchObject({ text: "It is 4.", providerData: { mistral: { content } } });
    expect(read({ content: [{ type: "text", text: "4." }] })).toHaveProperty("providerData", undefined);
    expect(read({ content: "4." })).toHaveProperty("providerData", undefined);
  });

  it("says why a reply cannot be used", () => {
    const broken = { choices: [{ message: { content: "It is" }, finish_reason: "error" }] };
    expect(fromMistralResponse(broken, 1)).toEqual({ success: false, error: "an answer that it broke off (error)" });
    expect(fromMistralResponse({ choices: [] }, 1)).toEqual({ success: false, error: "no choice in its body" });
  });
});
