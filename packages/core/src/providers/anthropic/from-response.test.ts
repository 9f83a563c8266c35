import { describe, expect, it } from "vitest";
import { fromAnthropicResponse } from "./from-response.js";

function read(json: Record<string, unknown>) {
  const result = fromAnthropicResponse(json);
  if (!result.success) throw new Error(result.error);
  return result.data;
}

const text = { type: "text", text: "Let me look." };
const call = { type: "tool_use", id: "toolu_1", name: "lookup", input: { id: 1 } };
const thinking = { type: "thinking", thinking: "…", signature: "sig" };

describe("fromAnthropicResponse", () => {
  it("reads text, tool calls, model and usage, cached tokens being part of the input", () => {
    const usage = {
      input_tokens: 18,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 44,
      output_tokens: 17,
      output_tokens_details: { thinking_tokens: 5 },
    };
    expect(read({ model: "claude-x", content: [text, call], stop_reason: "tool_use", usage })).toEqual({
      text: "Let me look.",
      toolCalls: [{ id: "toolu_1", tool: "lookup", args: { id: 1 } }],
      finishReason: { unified: "tool_calls", raw: "tool_use" },
      usage: { inputTokens: 82, outputTokens: 17, cachedInputTokens: 44, reasoningTokens: 5 },
      modelServed: "claude-x",
    });
  });

  it("takes nulls in the usage for none", () => {
    const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: null, output_tokens_details: null };
    expect(read({ content: [], usage }).usage).toEqual({ inputTokens: 1, outputTokens: 2 });
    expect(read({ content: [] }).usage).toBeNull();
  });

  it.each([
    ["thinking", [thinking, text, call]],
    ["hidden thinking", [{ type: "redacted_thinking", data: "x" }, call]],
    ["text after a call", [call, text]],
  ])("keeps %s to send it back", (_name, content) => {
    expect(read({ content }).providerData).toEqual({ anthropic: { content } });
  });

  it("keeps nothing that text and calls already say", () => {
    expect(read({ content: [text, call, call] })).toHaveProperty("providerData", undefined);
  });

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool_calls"],
    ["refusal", "refusal"],
    ["pause_turn", "other"],
    ["toString", "other"],
    [null, "other"],
  ])("takes the stop reason %j for %s", (raw, unified) => {
    expect(read({ content: [], stop_reason: raw }).finishReason).toEqual({ unified, raw });
  });

  it.each([
    [{}, "no content in its body"],
    [{ content: "x" }, "no content in its body"],
    [{ content: ["x"] }, "a content block that is not an object"],
    [{ content: [{ type: "tool_use", id: "1" }] }, "a tool call that has no name or id"],
  ])("cannot use %j", (json, error) => {
    expect(fromAnthropicResponse(json)).toEqual({ success: false, error });
  });
});

it("reports the tools that Anthropic ran itself", () => {
  const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "weather" } };
  const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
  const remote = { type: "mcp_tool_use", id: "mcptoolu_1", name: "delete_user", server_name: "crm", input: { id: 1 } };
  const { toolCalls, ranCalls } = read({ content: [search, found, remote, text], stop_reason: "end_turn" });
  expect(toolCalls).toEqual([]);
  expect(ranCalls).toEqual([
    { tool: "web_search", args: { query: "weather" } },
    { tool: "delete_user", args: { id: 1 } },
  ]);
});
