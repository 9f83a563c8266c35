import { describe, expect, it } from "vitest";
import type { Message } from "../../transcript/message.js";
import type { ModelParams, ProviderRequest } from "../provider.js";
import { toBedrockRequest } from "./bedrock-format.js";

function body(parts: Partial<ProviderRequest>) {
  const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
  return toBedrockRequest({ messages: [], tools: [], params: {}, origin, ...parts });
}

const tool = { name: "lookup", parameters: { type: "object" } };
const user = (content: string): Message => ({ role: "user", content });
const result = (callId: string): Message => ({ role: "tool", callId, tool: "lookup", content: callId, isError: false });
const said = (text: string, providerData?: unknown): Message => ({
  role: "assistant",
  text,
  toolCalls: [],
  providerData,
});
const asked = (id: string, args: unknown = {}): Message => ({
  role: "assistant",
  text: "",
  toolCalls: [{ id, tool: "lookup", args }],
});

describe("toBedrockRequest", () => {
  it("is the messages alone when nothing else is asked for", () => {
    expect(body({ messages: [user("Hi")] })).toEqual({ messages: [{ role: "user", content: [{ text: "Hi" }] }] });
  });

  it("joins system messages of the history with the system prompt, and leaves blank ones out", () => {
    const messages: Message[] = [
      { role: "system", content: "Be brief." },
      { role: "system", content: " \n" },
    ];
    expect(body({ system: "You are terse.", messages })).toEqual({
      messages: [],
      system: [{ text: "You are terse." }, { text: "Be brief." }],
    });
    expect(body({ system: "" })).not.toHaveProperty("system");
  });

  it("makes one message of neighbors of one role, so that the roles take turns", () => {
    const messages = [user("a"), asked("1"), result("1"), result("2"), user("b"), said("c"), said("d")];
    expect(body({ messages })["messages"]).toEqual([
      { role: "user", content: [{ text: "a" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "1", name: "lookup", input: {} } }] },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "1", content: [{ text: "1" }] } },
          { toolResult: { toolUseId: "2", content: [{ text: "2" }] } },
          { text: "b" },
        ],
      },
      { role: "assistant", content: [{ text: "c" }, { text: "d" }] },
    ]);
  });

  it("says of a failed tool result that it failed", () => {
    const failed: Message = { role: "tool", callId: "1", tool: "lookup", content: "no", isError: true };
    expect(body({ messages: [failed] })["messages"]).toEqual([
      { role: "user", content: [{ toolResult: { toolUseId: "1", content: [{ text: "no" }], status: "error" } }] },
    ]);
  });

  it.each([
    ["image/png", "png"],
    ["image/jpeg", "jpeg"],
    ["image/jpg", "jpeg"],
    ["IMAGE/WEBP", "webp"],
    ["image/tiff", "tiff"],
  ])("sends an image of %s as the format %s", (mediaType, format) => {
    const image = { type: "image", source: { kind: "base64", mediaType, data: "aGk=" } } as const;
    expect(body({ messages: [{ role: "user", content: [image] }] })["messages"]).toEqual([
      { role: "user", content: [{ image: { format, source: { bytes: "aGk=" } } }] },
    ]);
  });

  it("sends kept blocks back unchanged, and ignores what other providers kept", () => {
    const content = [
      { reasoningContent: { reasoningText: { text: "…", signature: "sig" } } },
      { text: "Hi", extra: 1 },
    ];
    expect(body({ messages: [said("Hi", { bedrock: { content } })] })["messages"]).toEqual([
      { role: "assistant", content },
    ]);
    expect(body({ messages: [said("Hi", { anthropic: { content } })] })["messages"]).toEqual([
      { role: "assistant", content: [{ text: "Hi" }] },
    ]);
  });

  it.each([
    ["nothing", said("")],
    ["blanks", said(" \n")],
    ["reasoning alone", said("", { bedrock: { content: [{ reasoningContent: { redactedContent: "eA==" } }] } })],
  ])("leaves out a message that says %s", (_name, message) => {
    expect(body({ messages: [user("a"), message, user("b")] })["messages"]).toEqual([
      { role: "user", content: [{ text: "a" }, { text: "b" }] },
    ]);
  });

  it.each([[undefined], ["text"], [[1]], [null]])("sends an empty object for the arguments %j", (args) => {
    expect(body({ messages: [asked("1", args)] })["messages"]).toEqual([
      { role: "assistant", content: [{ toolUse: { toolUseId: "1", name: "lookup", input: {} } }] },
    ]);
  });

  it.each<[ModelParams, unknown]>([
    [{}, undefined],
    [{ tool_choice: "auto" }, { auto: {} }],
    [{ tool_choice: "required" }, { any: {} }],
    [{ tool_choice: { tool: "lookup" } }, { tool: { name: "lookup" } }],
    [{ parallel_tool_calls: false }, undefined],
  ])("translates the tool choice of %j", (params, toolChoice) => {
    const tools = [{ toolSpec: { name: "lookup", inputSchema: { json: { type: "object" } } } }];
    const expected = toolChoice === undefined ? { tools } : { tools, toolChoice };
    expect(body({ params, tools: [tool] })["toolConfig"]).toEqual(expected);
    expect(body({ params })).not.toHaveProperty("toolConfig");
  });

  it("leaves the tools out for tool_choice none, but not from a conversation that has calls", () => {
    const request = { params: { tool_choice: "none" }, tools: [tool] } as const;
    expect(body({ ...request, messages: [user("a"), said("b")] })).not.toHaveProperty("toolConfig");
    const names = { tools: [{ toolSpec: { name: "lookup", inputSchema: { json: { type: "object" } } } }] };
    expect(body({ ...request, messages: [asked("1")] })["toolConfig"]).toEqual(names);
    expect(body({ ...request, messages: [result("1")] })["toolConfig"]).toEqual(names);
  });

  it.each<[ModelParams, unknown]>([
    [{ response_format: "json" }, undefined],
    [
      { response_format: { name: "a", schema: { type: "object" }, strict: true } },
      {
        textFormat: { type: "json_schema", structure: { jsonSchema: { schema: '{"type":"object"}', name: "a" } } },
      },
    ],
    [
      { response_format: { schema: {} }, reasoning_effort: "low" },
      { textFormat: { type: "json_schema", structure: { jsonSchema: { schema: "{}" } } }, effort: "low" },
    ],
  ])("translates the output of %j", (params, expected) => {
    expect(body({ params })["outputConfig"]).toEqual(expected);
  });

  it("translates the params that it knows, leaves the others out, and puts extra_body over all", () => {
    const params: ModelParams = {
      temperature: 0,
      top_p: 0.5,
      max_tokens: 7,
      stop: ["a"],
      seed: 1,
      frequency_penalty: 1,
      presence_penalty: 1,
      parallel_tool_calls: true,
      extra_body: { additionalModelRequestFields: { top_k: 3 }, messages: [] },
    };
    expect(body({ messages: [user("Hi")], params })).toEqual({
      messages: [],
      inferenceConfig: { maxTokens: 7, temperature: 0, topP: 0.5, stopSequences: ["a"] },
      additionalModelRequestFields: { top_k: 3 },
    });
  });
});
