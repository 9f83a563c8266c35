import { describe, expect, it } from "vitest";
import type { Message } from "../../transcript/message.js";
import type { ModelParams, ProviderRequest } from "../provider.js";
import { toAnthropicRequest } from "./anthropic-format.js";

function body(parts: Partial<ProviderRequest>) {
  const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
  return toAnthropicRequest({ messages: [], tools: [], params: {}, origin, ...parts }, "m");
}

const tool = { name: "lookup", parameters: { type: "object" } };

describe("toAnthropicRequest", () => {
  it("has a bound of tokens, since the API requires one", () => {
    expect(body({})).toEqual({ model: "m", max_tokens: 4_096, messages: [] });
    expect(body({ params: { max_tokens: 7 } })).toHaveProperty("max_tokens", 7);
  });

  it("joins system messages of the history with the system prompt", () => {
    const messages: Message[] = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ];
    expect(body({ system: "You are terse.", messages })).toMatchObject({
      system: "You are terse.\n\nBe brief.",
      messages: [{ role: "user", content: "Hi" }],
    });
  });

  it("puts the results of each turn into one message of their own", () => {
    const result = (callId: string): Message => ({
      role: "tool",
      callId,
      tool: "lookup",
      content: callId,
      isError: false,
    });
    const asked = (id: string): Message => ({
      role: "assistant",
      text: "",
      toolCalls: [{ id, tool: "lookup", args: {} }],
    });
    const sent = body({ messages: [asked("1"), result("1"), result("2"), asked("3"), result("3")] })["messages"];
    expect(sent).toMatchObject([
      { role: "assistant", content: [{ type: "tool_use", id: "1" }] },
      { role: "user", content: [{ tool_use_id: "1" }, { tool_use_id: "2" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "3" }] },
      { role: "user", content: [{ tool_use_id: "3" }] },
    ]);
  });

  it("sends kept blocks back unchanged, and ignores what other providers kept", () => {
    const content = [
      { type: "thinking", thinking: "…", signature: "sig" },
      { type: "text", text: "Hi" },
    ];
    const said = (providerData: unknown): Message => ({ role: "assistant", text: "Hi", toolCalls: [], providerData });
    expect(body({ messages: [said({ anthropic: { content } })] })["messages"]).toEqual([
      { role: "assistant", content },
    ]);
    expect(body({ messages: [said({ openai: { content } })] })["messages"]).toEqual([
      { role: "assistant", content: "Hi" },
    ]);
  });

  it("leaves out a message that says nothing", () => {
    expect(body({ messages: [{ role: "assistant", text: "", toolCalls: [] }] })["messages"]).toEqual([]);
  });

  it("sends an empty object for arguments that are none", () => {
    const call = { id: "1", tool: "lookup", args: undefined, malformed: { raw: "{oops", reason: "" } };
    expect(body({ messages: [{ role: "assistant", text: "", toolCalls: [call] }] })["messages"]).toEqual([
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "lookup", input: {} }] },
    ]);
  });

  it.each<[ModelParams, unknown]>([
    [{}, undefined],
    [{ tool_choice: "auto" }, { type: "auto" }],
    [{ tool_choice: "required" }, { type: "any" }],
    [{ tool_choice: "none" }, { type: "none" }],
    [{ tool_choice: "none", parallel_tool_calls: false }, { type: "none" }],
    [{ tool_choice: { tool: "lookup" } }, { type: "tool", name: "lookup" }],
    [{ parallel_tool_calls: false }, { type: "auto", disable_parallel_tool_use: true }],
    [
      { parallel_tool_calls: true, tool_choice: "required" },
      { type: "any", disable_parallel_tool_use: false },
    ],
  ])("translates the tool choice of %j", (params, expected) => {
    expect(body({ params, tools: [tool] })["tool_choice"]).toEqual(expected);
    expect(body({ params })).not.toHaveProperty("tool_choice");
  });

  it("translates the params that it knows, leaves the others out, and puts extra_body over all", () => {
    const params = { temperature: 0, top_p: 0.5, stop: ["a"], seed: 1, frequency_penalty: 1, reasoning_effort: "low" };
    expect(body({ params: { ...params, extra_body: { top_p: 0.9, top_k: 3 } } })).toEqual({
      model: "m",
      max_tokens: 4_096,
      messages: [],
      temperature: 0,
      top_p: 0.9,
      stop_sequences: ["a"],
      output_config: { effort: "low" },
      top_k: 3,
    });
  });

  it("asks for an answer that satisfies a schema, beside the effort", () => {
    const schema = { type: "object", properties: { status: { type: "string" } }, additionalProperties: false };
    const format = { name: "order", schema, strict: true };
    expect(body({ params: { response_format: format } })["output_config"]).toEqual({
      format: { type: "json_schema", schema },
    });
    expect(body({ params: { response_format: format, reasoning_effort: "low" } })["output_config"]).toEqual({
      effort: "low",
      format: { type: "json_schema", schema },
    });
  });

  it("has no counterpart of JSON without a schema", () => {
    expect(body({ params: { response_format: "json" } })).not.toHaveProperty("output_config");
  });

  it("asks for a stream", () => {
    expect(body({ stream: true })).toHaveProperty("stream", true);
    expect(body({ stream: false })).not.toHaveProperty("stream");
  });
});
