import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message } from "../../transcript/message.js";
import type { ModelParams, ProviderRequest } from "../provider.js";
import { toCohereRequest } from "./cohere-format.js";

function body(parts: Partial<ProviderRequest>) {
  const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
  return toCohereRequest({ messages: [], tools: [], params: {}, origin, ...parts }, "m");
}

function sent(...messages: readonly Message[]) {
  return body({ messages })["messages"];
}

function said(parts: Partial<AssistantMessage>): Message {
  return { role: "assistant", text: "", toolCalls: [], ...parts };
}

const lookup = { name: "lookup", parameters: { type: "object" } };
const cancel = { name: "cancel", description: "Cancel it", parameters: { type: "object" } };
const call = { id: "1", tool: "lookup", args: { a: 1 } };
const sentCall = { id: "1", type: "function", function: { name: "lookup", arguments: '{"a":1}' } };

describe("toCohereRequest", () => {
  it("sends nothing that was not asked for", () => {
    expect(body({})).toEqual({ model: "m", messages: [] });
    expect(body({ stream: true })).toEqual({ model: "m", messages: [], stream: true });
  });

  it("joins system messages of the history with the system prompt, which comes first", () => {
    const messages: Message[] = [
      { role: "user", content: "Hi" },
      { role: "system", content: "Be brief." },
    ];
    expect(body({ system: "You are terse.", messages })["messages"]).toEqual([
      { role: "system", content: "You are terse.\n\nBe brief." },
      { role: "user", content: "Hi" },
    ]);
  });

  it("sends images by address and as data", () => {
    const content = [
      { type: "text", text: "What?" },
      { type: "image", source: { kind: "url", url: "https://e.com/a.png" } },
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } },
    ] as const;
    expect(sent({ role: "user", content })).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What?" },
          { type: "image_url", image_url: { url: "https://e.com/a.png" } },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
        ],
      },
    ]);
  });

  it.each<[string, Message, unknown]>([
    ["text", said({ text: "Hi" }), { role: "assistant", content: "Hi" }],
    ["calls", said({ toolCalls: [call] }), { role: "assistant", tool_calls: [sentCall] }],
    [
      "text before calls, as the plan",
      said({ text: "I will look.", toolCalls: [call] }),
      { role: "assistant", tool_plan: "I will look.", tool_calls: [sentCall] },
    ],
    [
      "the plan and the content that it kept, in the place of the text",
      said({ text: "x", toolCalls: [call], providerData: { cohere: { tool_plan: "p", content: ["c"] } } }),
      { role: "assistant", tool_plan: "p", content: ["c"], tool_calls: [sentCall] },
    ],
    [
      "kept content of a plain answer",
      said({ text: "x", providerData: { cohere: { content: ["c"] } } }),
      { role: "assistant", content: ["c"] },
    ],
    [
      "nothing that another provider kept",
      said({ text: "x", providerData: { gemini: { parts: ["c"] } } }),
      { role: "assistant", content: "x" },
    ],
    [
      "malformed arguments as they came",
      said({ toolCalls: [{ id: "1", tool: "lookup", args: undefined, malformed: { raw: "{oops", reason: "" } }] }),
      { role: "assistant", tool_calls: [{ ...sentCall, function: { name: "lookup", arguments: "{oops" } }] },
    ],
  ])("sends back %s", (_name, message, expected) => {
    expect(sent(message)).toEqual([expected]);
  });

  it("leaves out a message that says nothing", () => {
    expect(sent(said({}))).toEqual([]);
  });

  it.each([
    ['{"ok":false,"error":"no"}', '{"ok":false,"error":"no"}'],
    ["[1]", [{ type: "text", text: "[1]" }]],
    ["no such order", [{ type: "text", text: "no such order" }]],
  ])("sends the result %s", (content, expected) => {
    expect(sent({ role: "tool", callId: "1", tool: "lookup", content, isError: true })).toEqual([
      { role: "tool", tool_call_id: "1", content: expected },
    ]);
  });

  it.each<[ModelParams["tool_choice"], string | undefined, readonly string[]]>([
    [undefined, undefined, ["lookup", "cancel"]],
    ["auto", undefined, ["lookup", "cancel"]],
    ["none", "NONE", ["lookup", "cancel"]],
    ["required", "REQUIRED", ["lookup", "cancel"]],
    [{ tool: "cancel" }, "REQUIRED", ["cancel"]],
  ])("translates the tool choice %j", (choice, expected, names) => {
    const params = choice === undefined ? {} : { tool_choice: choice, parallel_tool_calls: true };
    const asked = body({ params, tools: [lookup, cancel] });
    expect(asked["tool_choice"]).toBe(expected);
    expect(asked["tools"]).toMatchObject(names.map((name) => ({ type: "function", function: { name } })));
    expect(asked).not.toHaveProperty("parallel_tool_calls");
    expect(body({ params })).toEqual({ model: "m", messages: [] });
  });

  it.each<[ModelParams, Record<string, unknown>]>([
    [
      { temperature: 0, top_p: 0.5, max_tokens: 9, seed: 7, stop: ["a"] },
      { temperature: 0, p: 0.5, max_tokens: 9, seed: 7, stop_sequences: ["a"] },
    ],
    [{ frequency_penalty: 0.5 }, { frequency_penalty: 0.5 }],
    [{ presence_penalty: 0.5 }, { presence_penalty: 0.5 }],
    [{ reasoning_effort: "none" }, { thinking: { type: "disabled" } }],
    [{ reasoning_effort: "low" }, { thinking: { type: "enabled" } }],
    [{ response_format: "json" }, { response_format: { type: "json_object" } }],
    [
      { response_format: { name: "x", schema: { type: "object" }, strict: true } },
      { response_format: { type: "json_object", json_schema: { type: "object" } } },
    ],
    [
      { temperature: 0, extra_body: { temperature: 1, safety_mode: "OFF" } },
      { temperature: 1, safety_mode: "OFF" },
    ],
  ])("translates %j", (params, expected) => {
    expect(body({ params })).toEqual({ model: "m", messages: [], ...expected });
  });
});
