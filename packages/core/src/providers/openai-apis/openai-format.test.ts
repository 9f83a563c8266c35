import { describe, expect, it } from "vitest";
import type { ModelParams, ProviderRequest } from "../provider.js";
import { toOpenaiRequest } from "./openai-format.js";

function body(parts: Partial<ProviderRequest>, maxTokensKey: "max_tokens" | "max_completion_tokens" = "max_tokens") {
  const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
  return toOpenaiRequest({ messages: [], tools: [], params: {}, origin, ...parts }, { model: "m", maxTokensKey });
}

const schema = { type: "object", properties: { status: { type: "string" } } };
const tool = { name: "lookup", parameters: { type: "object" } };

describe("toOpenaiRequest", () => {
  it("sends nothing that was not asked for", () => {
    expect(body({})).toEqual({ model: "m", messages: [] });
  });

  it("names the bound of tokens as the server knows it", () => {
    expect(body({ params: { max_tokens: 5 } })).toHaveProperty("max_tokens", 5);
    expect(body({ params: { max_tokens: 5 } }, "max_completion_tokens")).toEqual({
      model: "m",
      messages: [],
      max_completion_tokens: 5,
    });
  });

  it("leaves the tool params out where there are no tools", () => {
    const params = { tool_choice: "required", parallel_tool_calls: false } as const;
    expect(body({ params })).toEqual({ model: "m", messages: [] });
    expect(body({ params, tools: [tool] })).toMatchObject(params);
  });

  it.each<[NonNullable<ModelParams["response_format"]>, unknown]>([
    ["json", { type: "json_object" }],
    [{ schema }, { type: "json_schema", json_schema: { name: "answer", schema } }],
    [
      { name: "order", schema, strict: true },
      { type: "json_schema", json_schema: { name: "order", schema, strict: true } },
    ],
    [
      { schema, strict: false },
      { type: "json_schema", json_schema: { name: "answer", schema, strict: false } },
    ],
  ])("asks for an answer of the shape %j", (format, expected) => {
    expect(body({ params: { response_format: format } })).toEqual({
      model: "m",
      messages: [],
      response_format: expected,
    });
  });

  it("asks for a stream with its usage", () => {
    expect(body({ stream: true })).toEqual({
      model: "m",
      messages: [],
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(body({ stream: false })).toEqual({ model: "m", messages: [] });
    const params = { extra_body: { stream_options: null } };
    expect(body({ stream: true, params })).toMatchObject({ stream: true, stream_options: null });
  });

  it("puts extra_body over everything else", () => {
    const params = { temperature: 0, extra_body: { temperature: 1, top_k: 4, stream_options: { a: 1 } } };
    expect(body({ params })).toMatchObject({ temperature: 1, top_k: 4, stream_options: { a: 1 } });
  });

  it("sends malformed arguments back as they came", () => {
    const call = { id: "1", tool: "lookup", args: undefined, malformed: { raw: "{oops", reason: "" } };
    expect(body({ messages: [{ role: "assistant", text: "", toolCalls: [call] }] })["messages"]).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name: "lookup", arguments: "{oops" } }],
      },
    ]);
  });

  it("sends kept reasoning back with the calls that followed it, and ignores what other providers kept", () => {
    const call = { id: "1", tool: "lookup", args: {} };
    const sent = (providerData: unknown) =>
      body({ messages: [{ role: "assistant", text: "", toolCalls: [call], providerData }] })["messages"];
    expect(sent({ openaiChat: { reasoning_content: "Hm" } })).toMatchObject([{ reasoning_content: "Hm" }]);
    expect(sent({ anthropic: { content: [] } })).toEqual(sent(undefined));
  });

  it("keeps system messages of the history in their place", () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "system", content: "Be brief." },
    ] as const;
    expect(body({ system: "You are terse.", messages })["messages"]).toEqual([
      { role: "system", content: "You are terse." },
      ...messages,
    ]);
  });
});
