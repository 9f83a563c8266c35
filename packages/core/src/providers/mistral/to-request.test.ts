import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message } from "../../transcript/message.js";
import type { ModelParams, ProviderRequest } from "../provider.js";
import { toMistralRequest } from "./to-request.js";

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
