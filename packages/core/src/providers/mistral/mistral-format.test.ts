import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message } from "../../transcript/message.js";
import type { ModelParams, ProviderRequest } from "../provider.js";
import { toMistralRequest, toMistralCallId, fromMistralResponse, createMistralAssembler } from "./mistral-format.js";
import * as fc from "fast-check";

function body(parts: Partial<ProviderRequest>) {
  const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
  return toMistralRequest({ messages: [], tools: [], params: {}, origin, ...parts }, "m");
}

function messages(...history: readonly Message[]): unknown {
  return body({ messages: history })["messages"];
}

const tool = { name: "lookup", parameters: { type: "object" } };
const hello: Message = { role: "user", content: "Hi" };

function answer(parts: Partial<AssistantMessage>): AssistantMessage {
  return { role: "assistant", text: "", toolCalls: [], ...parts };
}

describe("toMistralRequest", () => {
  it("sends nothing that was not asked for", () => {
    expect(body({})).toEqual({ model: "m", messages: [] });
  });

  it("sends the params under Mistral's names, and extra_body over all", () => {
    const params: ModelParams = {
      temperature: 0,
      top_p: 0.5,
      max_tokens: 9,
      seed: 7,
      stop: ["END"],
      frequency_penalty: 1,
      presence_penalty: -1,
      reasoning_effort: "high",
      response_format: "json",
      extra_body: { top_p: 0.9, safe_prompt: true, prompt_mode: "reasoning" },
    };
    expect(body({ params, stream: true })).toEqual({
      model: "m",
      messages: [],
      temperature: 0,
      top_p: 0.9,
      max_tokens: 9,
      random_seed: 7,
      stop: ["END"],
      frequency_penalty: 1,
      presence_penalty: -1,
      reasoning_effort: "high",
      response_format: { type: "json_object" },
      stream: true,
      safe_prompt: true,
      prompt_mode: "reasoning",
    });
  });

  it("names a schema that has no name", () => {
    const schema = { type: "object" };
    expect(body({ params: { response_format: { schema } } })["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "answer", schema },
    });
    expect(body({ params: { response_format: { name: "order", schema, strict: true } } })["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "order", schema, strict: true },
    });
  });

  it.each<[ModelParams["tool_choice"], unknown]>([
    [undefined, undefined],
    ["auto", "auto"],
    ["none", "none"],
    ["required", "any"],
    [{ tool: "lookup" }, { type: "function", function: { name: "lookup" } }],
  ])("translates the tool choice %j", (choice, expected) => {
    const params = { tool_choice: choice, parallel_tool_calls: false };
    const sent = body({ params, tools: [tool] });
    expect(sent["tool_choice"]).toEqual(expected);
    expect(sent["parallel_tool_calls"]).toBe(false);
    expect(body({ params })).toEqual({ model: "m", messages: [] });
  });

  it("sends images as addresses", () => {
    const content = [
      { type: "text", text: "What is it?" },
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } },
      { type: "image", source: { kind: "url", url: "https://x/y.png" } },
    ] as const;
    expect(messages({ role: "user", content })).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "image_url", image_url: { url: "https://x/y.png" } },
        ],
      },
    ]);
  });

  it("names the tool of a result, and gives it and its call the same id of nine characters", () => {
    const call = { id: "call_1_1", tool: "lookup", args: { id: 1 } };
    const broken = { id: "gSIMJiOkT", tool: "lookup", args: undefined, malformed: { raw: "{oops", reason: "" } };
    const sent = messages(
      answer({ toolCalls: [call, broken] }),
      { role: "tool", callId: "call_1_1", tool: "lookup", content: "42", isError: false },
      { role: "tool", callId: "gSIMJiOkT", tool: "lookup", content: "no JSON", isError: true },
    );
    const id = expect.stringMatching(/^[a-zA-Z0-9]{9}$/) as string;
    expect(sent).toEqual([
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id, type: "function", function: { name: "lookup", arguments: '{"id":1}' } },
          { id: "gSIMJiOkT", type: "function", function: { name: "lookup", arguments: "{oops" } },
        ],
      },
      { role: "tool", tool_call_id: id, name: "lookup", content: "42" },
      { role: "tool", tool_call_id: "gSIMJiOkT", name: "lookup", content: "no JSON" },
    ]);
    const [asked, told] = sent as [{ tool_calls: { id: string }[] }, { tool_call_id: string }];
    expect(told.tool_call_id).toBe(asked.tool_calls[0]?.id);
  });

  it("has the model go on from an answer that comes last, and leaves out one that says nothing", () => {
    expect(messages(hello, answer({ text: "Well," }))).toEqual([
      hello,
      { role: "assistant", content: "Well,", prefix: true },
    ]);
    expect(messages(answer({ text: "Well," }), hello)).toEqual([{ role: "assistant", content: "Well," }, hello]);
    expect(messages(answer({}), hello)).toEqual([hello]);
  });

  it("sends its own thinking back as it came, and no other provider's", () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "Hm." }], signature: "s" },
      { type: "text", text: "Well." },
    ];
    expect(messages(answer({ text: "Well.", providerData: { mistral: { content } } }), hello)).toEqual([
      { role: "assistant", content },
      hello,
    ]);
    const other = answer({ text: "Well.", providerData: { anthropic: { content } } });
    expect(messages(other, hello)).toEqual([{ role: "assistant", content: "Well." }, hello]);
  });

  it("keeps system messages of the history in their place", () => {
    const sent = body({ system: "Be terse.", messages: [hello, { role: "system", content: "Be kind." }] })["messages"];
    expect(sent).toEqual([{ role: "system", content: "Be terse." }, hello, { role: "system", content: "Be kind." }]);
  });
});

it("leaves the API's own ids as they are", () => {
  expect(toMistralCallId("gSIMJiOkT")).toBe("gSIMJiOkT");
});

it("makes an id of any other text that the API takes, the same each time, and another for another text", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const id = toMistralCallId(one);
      expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
      expect(toMistralCallId(one)).toBe(id);
      expect(toMistralCallId(other) === id).toBe(one === other);
    }),
  );
});

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

function assemble(deltas: readonly Record<string, unknown>[]) {
  const assembler = createMistralAssembler();
  const kinds = deltas.map((delta, index) => {
    const finish = index === deltas.length - 1 ? "stop" : null;
    return assembler.add({ name: null, data: { model: "m", choices: [{ index: 0, delta, finish_reason: finish }] } });
  });
  const whole = assembler.finish() as { choices: { message: Record<string, unknown> }[] };
  return { text: assembler.text, kinds: kinds.map(({ kind }) => kind), message: whole.choices[0]?.message };
}

const thinking = (...texts: readonly string[]) => ({
  type: "thinking",
  thinking: texts.map((text) => ({ type: "text", text })),
});

describe("createMistralAssembler", () => {
  it("gives text as text", () => {
    const { text, kinds, message } = assemble([{ content: "" }, { content: "It is " }, { content: "4." }]);
    expect(text).toBe("It is 4.");
    expect(kinds).toEqual(["meta", "content", "content"]);
    expect(message).toMatchObject({ content: "It is 4." });
  });

  it("gives thinking and text as the chunks that come without streaming", () => {
    const { text, kinds, message } = assemble([
      { content: [thinking("The user")] },
      { content: [thinking(" asks.")] },
      { content: [{ ...thinking(), signature: "s", closed: true }] },
      { content: [{ type: "text", text: "It is " }] },
      { content: "4." },
    ]);
    expect(text).toBe("It is 4.");
    expect(kinds).toEqual(["meta", "meta", "meta", "content", "content"]);
    expect(message?.["content"]).toEqual([
      { ...thinking("The user asks."), signature: "s", closed: true },
      { type: "text", text: "It is 4." },
    ]);
  });

  it("keeps references apart, in thinking as well", () => {
    const reference = { type: "reference", reference_ids: [1] };
    const { message } = assemble([
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "See" }, reference] }] },
      { content: [thinking("it")] },
      { content: [reference, reference, { type: "text", text: "4." }] },
    ]);
    expect(message?.["content"]).toEqual([
      { type: "thinking", thinking: [{ type: "text", text: "See" }, reference, { type: "text", text: "it" }] },
      reference,
      reference,
      { type: "text", text: "4." },
    ]);
  });

  it("puts the pieces of a call together", () => {
    const { message } = assemble([
      { content: "", tool_calls: [{ id: "gSIMJiOkT", index: 0, function: { name: "look", arguments: "" } }] },
      { content: "", tool_calls: [{ index: 0, function: { name: "", arguments: '{"id":1}' } }] },
    ]);
    expect(message?.["tool_calls"]).toMatchObject([
      { id: "gSIMJiOkT", function: { name: "look", arguments: '{"id":1}' } },
    ]);
  });

  it("reads an error event like an error reply", () => {
    const data = { object: "error", message: "Rate limit exceeded", type: "x", code: "1300", raw_status_code: 429 };
    const step = createMistralAssembler().add({ name: null, data });
    expect(step).toEqual({ kind: "error", status: 429, body: JSON.stringify(data) });
  });
});
