import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message } from "../../transcript/message.js";
import type { ModelParams, ProviderRequest } from "../provider.js";
import { toOllamaRequest, fromOllamaResponse } from "./ollama-format.js";

function body(parts: Partial<ProviderRequest>) {
  const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
  return toOllamaRequest({ messages: [], tools: [], params: {}, origin, ...parts }, "m");
}

function messages(...history: readonly Message[]): unknown {
  return body({ messages: history })["messages"];
}

function answer(parts: Partial<AssistantMessage>): AssistantMessage {
  return { role: "assistant", text: "", toolCalls: [], ...parts };
}

const tool = { name: "lookup", parameters: { type: "object" } };

describe("toOllamaRequest", () => {
  it("says whether to stream, and sends nothing else that was not asked for", () => {
    expect(body({})).toEqual({ model: "m", messages: [], stream: false });
    expect(body({ stream: true })).toEqual({ model: "m", messages: [], stream: true });
  });

  it("puts the params into the options", () => {
    const params: ModelParams = {
      temperature: 0,
      top_p: 0.5,
      max_tokens: 9,
      seed: 7,
      stop: ["END"],
      frequency_penalty: 1,
      presence_penalty: -1,
      parallel_tool_calls: false,
    };
    expect(body({ params })).toEqual({
      model: "m",
      messages: [],
      stream: false,
      options: {
        temperature: 0,
        top_p: 0.5,
        num_predict: 9,
        seed: 7,
        stop: ["END"],
        frequency_penalty: 1,
        presence_penalty: -1,
      },
    });
  });

  it("puts extra_body over everything, its options beside the ones of the params", () => {
    const extra = { keep_alive: "10m", format: "json", options: { num_ctx: 8_192, temperature: 1 } };
    expect(body({ params: { temperature: 0, seed: 7, extra_body: extra } })).toEqual({
      model: "m",
      messages: [],
      stream: false,
      keep_alive: "10m",
      format: "json",
      options: { temperature: 1, seed: 7, num_ctx: 8_192 },
    });
    expect(body({ params: { seed: 7, extra_body: { truncate: false } } })).toMatchObject({
      truncate: false,
      options: { seed: 7 },
    });
  });

  it.each([
    ["none", false],
    ["false", false],
    ["true", true],
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
    ["xhigh", "max"],
    ["max", "max"],
    ["constructor", "constructor"],
  ])("translates the reasoning effort %s to think: %j", (effort, think) => {
    expect(body({ params: { reasoning_effort: effort } })["think"]).toBe(think);
  });

  it("sends a schema as the format", () => {
    const schema = { type: "object" };
    expect(body({ params: { response_format: "json" } })["format"]).toBe("json");
    expect(body({ params: { response_format: { name: "order", schema, strict: true } } })["format"]).toEqual(schema);
  });

  it.each<[ModelParams["tool_choice"], boolean]>([
    [undefined, true],
    ["auto", true],
    ["required", true],
    [{ tool: "lookup" }, true],
    ["none", false],
  ])("offers the tools with the choice %j: %j", (choice, isOffered) => {
    const sent = body({ params: { tool_choice: choice }, tools: [tool] });
    expect(sent["tools"]).toEqual(isOffered ? [{ type: "function", function: tool }] : undefined);
    expect(sent).not.toHaveProperty("tool_choice");
  });

  it("sends images as bare base64 beside the text", () => {
    const content = [
      { type: "text", text: "What is it?" },
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } },
      { type: "text", text: "And this?" },
      { type: "image", source: { kind: "base64", mediaType: "image/jpeg", data: "BBBB" } },
    ] as const;
    expect(messages({ role: "user", content })).toEqual([
      { role: "user", content: "What is it?\nAnd this?", images: ["AAAA", "BBBB"] },
    ]);
    expect(messages({ role: "user", content: [{ type: "text", text: "Hi" }] })).toEqual([
      { role: "user", content: "Hi" },
    ]);
  });

  it("sends calls with arguments as objects, and results with the name of their tool", () => {
    const call = { id: "call_1_1", tool: "lookup", args: { id: 1 } };
    const broken = { id: "call_1_2", tool: "lookup", args: undefined, malformed: { raw: "{oops", reason: "" } };
    expect(
      messages(answer({ text: "Let me look.", toolCalls: [call, broken] }), {
        role: "tool",
        callId: "call_1_1",
        tool: "lookup",
        content: "42",
        isError: false,
      }),
    ).toEqual([
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [
          { id: "call_1_1", function: { name: "lookup", arguments: { id: 1 } } },
          { id: "call_1_2", function: { name: "lookup", arguments: {} } },
        ],
      },
      { role: "tool", content: "42", tool_name: "lookup", tool_call_id: "call_1_1" },
    ]);
  });

  it("sends its own thinking back, and no other provider's", () => {
    expect(messages(answer({ text: "4", providerData: { ollama: { thinking: "Hm." } } }))).toEqual([
      { role: "assistant", content: "4", thinking: "Hm." },
    ]);
    expect(messages(answer({ text: "4", providerData: { mistral: { content: [] } } }))).toEqual([
      { role: "assistant", content: "4" },
    ]);
  });

  it("puts the system prompt first and keeps further ones in their place", () => {
    const sent = body({
      system: "Be terse.",
      messages: [
        { role: "user", content: "Hi" },
        { role: "system", content: "Be kind." },
      ],
    })["messages"];
    expect(sent).toEqual([
      { role: "system", content: "Be terse." },
      { role: "user", content: "Hi" },
      { role: "system", content: "Be kind." },
    ]);
  });
});

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
