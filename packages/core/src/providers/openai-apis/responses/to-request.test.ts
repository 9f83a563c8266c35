import { describe, expect, it } from "vitest";
import type { Message } from "../../../transcript/message.js";
import type { ModelParams, ProviderRequest } from "../../provider.js";
import { toResponsesRequest } from "./to-request.js";

function body(parts: Partial<ProviderRequest>) {
  const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
  return toResponsesRequest({ messages: [], tools: [], params: {}, origin, ...parts }, { model: "m", source: "s" });
}

const input = (messages: readonly Message[]): unknown => body({ messages })["input"];
const tool = { name: "lookup", parameters: { type: "object" } };

describe("toResponsesRequest", () => {
  it("sends nothing that was not asked for, and leaves nothing on the server", () => {
    expect(body({})).toEqual({ model: "m", input: [], store: false });
  });

  it.each<[ModelParams, object]>([
    [{ temperature: 0 }, { temperature: 0 }],
    [{ top_p: 0.5 }, { top_p: 0.5 }],
    [{ max_tokens: 5 }, { max_output_tokens: 5 }],
    [{ reasoning_effort: "low" }, { reasoning: { effort: "low" } }],
    [{ response_format: "json" }, { text: { format: { type: "json_object" } } }],
    [
      { response_format: { schema: { type: "object" } } },
      { text: { format: { type: "json_schema", name: "answer", schema: { type: "object" } } } },
    ],
    [
      { response_format: { name: "order", schema: {}, strict: true } },
      { text: { format: { type: "json_schema", name: "order", schema: {}, strict: true } } },
    ],
    [{ seed: 7, stop: ["END"], frequency_penalty: 1, presence_penalty: 1 }, {}],
    [{ tool_choice: "required", parallel_tool_calls: false }, {}],
    [
      { temperature: 0, extra_body: { temperature: 1, store: true } },
      { temperature: 1, store: true },
    ],
  ])("translates %j", (params, expected) => {
    expect(body({ params })).toEqual({ model: "m", input: [], store: false, ...expected });
  });

  it.each<[ModelParams["tool_choice"], unknown]>([
    ["auto", "auto"],
    ["none", "none"],
    ["required", "required"],
    [{ tool: "lookup" }, { type: "function", name: "lookup" }],
  ])("takes the tool choice %j", (choice, expected) => {
    const params: ModelParams = { parallel_tool_calls: true };
    if (choice !== undefined) params.tool_choice = choice;
    expect(body({ tools: [tool], params })).toMatchObject({ tool_choice: expected, parallel_tool_calls: true });
  });

  it("does not let the server make optional arguments required", () => {
    expect(body({ tools: [{ ...tool, description: "Finds" }, tool] })["tools"]).toEqual([
      { type: "function", name: "lookup", description: "Finds", parameters: { type: "object" }, strict: false },
      { type: "function", name: "lookup", parameters: { type: "object" }, strict: false },
    ]);
  });

  it("asks for a stream only when one is wanted", () => {
    expect(body({ stream: true })).toEqual({ model: "m", input: [], store: false, stream: true });
    expect(body({ stream: false })).not.toHaveProperty("stream");
  });

  it("keeps the system prompt and later system messages where they stand", () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "system", content: "Be brief." },
    ] as const;
    expect(body({ system: "You are terse.", messages })["input"]).toEqual([
      { role: "system", content: "You are terse." },
      ...messages,
    ]);
  });

  it("sends images by address and as data", () => {
    const content = [
      { type: "text", text: "Look" },
      { type: "image", source: { kind: "url", url: "https://example.com/a.png" } },
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } },
    ] as const;
    expect(input([{ role: "user", content }])).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_image", image_url: "https://example.com/a.png", detail: "auto" },
          { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "auto" },
        ],
      },
    ]);
  });

  it("sends calls, their results and malformed arguments as they came", () => {
    const messages: readonly Message[] = [
      {
        role: "assistant",
        text: "Let me look.",
        toolCalls: [
          { id: "call_1", tool: "lookup", args: { id: 1 } },
          { id: "call_2", tool: "lookup", args: undefined, malformed: { raw: "{oops", reason: "" } },
        ],
      },
      { role: "tool", callId: "call_1", tool: "lookup", content: "found", isError: false },
      { role: "tool", callId: "call_2", tool: "lookup", content: "no JSON", isError: true },
      { role: "assistant", text: "", toolCalls: [] },
    ];
    expect(input(messages)).toEqual([
      { role: "assistant", content: "Let me look." },
      { type: "function_call", call_id: "call_1", name: "lookup", arguments: '{"id":1}' },
      { type: "function_call", call_id: "call_2", name: "lookup", arguments: "{oops" },
      { type: "function_call_output", call_id: "call_1", output: "found" },
      { type: "function_call_output", call_id: "call_2", output: "no JSON" },
    ]);
  });

  it("sends kept items in place of the message, to their source only", () => {
    const output = [{ type: "reasoning", id: "rs_1", encrypted_content: "x" }];
    const message = { role: "assistant", text: "Hi", toolCalls: [] } as const;
    expect(input([{ ...message, providerData: { openai: { source: "s", output } } }])).toEqual(output);
    for (const providerData of [{ openai: { source: "other", output } }, { anthropic: { content: [] } }, null, "x"]) {
      expect(input([{ ...message, providerData }])).toEqual([{ role: "assistant", content: "Hi" }]);
    }
  });
});
