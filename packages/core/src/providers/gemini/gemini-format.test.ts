import { describe, expect, it } from "vitest";
import type { AssistantMessage, ContentPart, Message } from "../../transcript/message.js";
import type { ModelParams, ProviderRequest } from "../provider.js";
import { toGeminiRequest } from "./gemini-format.js";

function body(parts: Partial<ProviderRequest>, model = "gemini-3-flash") {
  const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
  return toGeminiRequest({ messages: [], tools: [], params: {}, origin, ...parts }, model);
}

function contents(messages: readonly Message[]) {
  return body({ messages })["contents"];
}

function result(callId: string, content = "{}", isError = false): Message {
  return { role: "tool", callId, tool: "lookup", content, isError };
}

function asked(ids: readonly string[], more: Partial<AssistantMessage> = {}): Message {
  return { role: "assistant", text: "", toolCalls: ids.map((id) => ({ id, tool: "lookup", args: { id } })), ...more };
}

const tool = { name: "lookup", parameters: { type: "object", additionalProperties: false } };

describe("toGeminiRequest", () => {
  it("sends nothing that was not asked for", () => {
    expect(body({})).toEqual({ contents: [] });
    expect(body({ stream: true })).toEqual({ contents: [] });
  });

  it("joins system messages of the history with the system prompt", () => {
    const messages: Message[] = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ];
    expect(body({ system: "You are terse.", messages })).toEqual({
      systemInstruction: { parts: [{ text: "You are terse.\n\nBe brief." }] },
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    });
  });

  it.each<[string, ContentPart, unknown]>([
    [
      "as data",
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } },
      { inlineData: { mimeType: "image/png", data: "AA==" } },
    ],
    ["by address", image("https://e.com/a.JPG?b=c.png"), file("https://e.com/a.JPG?b=c.png", "image/jpeg")],
    ["by an address without an ending", image("https://e.com/files/abc"), file("https://e.com/files/abc")],
    ["by an address with another ending", image("https://e.com/a.constructor"), file("https://e.com/a.constructor")],
  ])("sends an image %s", (_name, part, expected) => {
    const content: ContentPart[] = [{ type: "text", text: "What is it?" }, part];
    expect(contents([{ role: "user", content }])).toEqual([
      { role: "user", parts: [{ text: "What is it?" }, expected] },
    ]);
  });

  it("puts the results of each turn into one message, named by the ids of their calls", () => {
    const messages = [asked(["1", "2"]), result("1", '{"a":1}'), result("2", "no such order", true), asked(["3"])];
    expect(contents([...messages, result("3", "[1]")])).toEqual([
      { role: "model", parts: [call("1"), call("2")] },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "1", name: "lookup", response: { output: { a: 1 } } } },
          { functionResponse: { id: "2", name: "lookup", response: { error: "no such order" } } },
        ],
      },
      { role: "model", parts: [call("3")] },
      { role: "user", parts: [{ functionResponse: { id: "3", name: "lookup", response: { output: [1] } } }] },
    ]);
  });

  it("sends kept parts back unchanged, and no id that the model did not give", () => {
    const parts = [
      { functionCall: { name: "lookup", args: {} }, thoughtSignature: "sig" },
      { functionCall: { id: "b", name: "lookup", args: {} } },
    ];
    const messages = [
      asked(["call_1_1", "b"], { providerData: { gemini: { parts } } }),
      result("call_1_1"),
      result("b"),
    ];
    expect(contents(messages)).toEqual([
      { role: "model", parts },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "lookup", response: { output: {} } } },
          { functionResponse: { id: "b", name: "lookup", response: { output: {} } } },
        ],
      },
    ]);
  });

  it("ignores what other providers kept", () => {
    expect(contents([asked([], { text: "Hi", providerData: { anthropic: { content: [] } } })])).toEqual([
      { role: "model", parts: [{ text: "Hi" }] },
    ]);
  });

  it("leaves out a message that says nothing, and sends an empty object for arguments that are none", () => {
    const toolCalls = [{ id: "1", tool: "lookup", args: undefined, malformed: { raw: "{oops", reason: "" } }];
    expect(contents([asked([]), asked([], { text: "So:", toolCalls })])).toEqual([
      { role: "model", parts: [{ text: "So:" }, { functionCall: { id: "1", name: "lookup", args: {} } }] },
    ]);
  });

  it.each<[ModelParams["tool_choice"], unknown]>([
    ["auto", { mode: "AUTO" }],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [{ tool: "lookup" }, { mode: "ANY", allowedFunctionNames: ["lookup"] }],
  ])("translates the tool choice %j", (choice, functionCallingConfig) => {
    const params = { tool_choice: choice, parallel_tool_calls: false };
    expect(body({ params, tools: [tool] })).toEqual({
      contents: [],
      tools: [{ functionDeclarations: [{ name: "lookup", parametersJsonSchema: tool.parameters }] }],
      toolConfig: { functionCallingConfig },
    });
    expect(body({ params })).toEqual({ contents: [] });
    expect(body({ tools: [tool] })).not.toHaveProperty("toolConfig");
  });

  it.each<[string, string, unknown]>([
    ["gemini-3-flash", "low", { thinkingLevel: "LOW" }],
    ["gemini-flash-latest", "minimal", { thinkingLevel: "MINIMAL" }],
    ["gemini-3.1-pro", "none", { thinkingLevel: "NONE" }],
    ["gemini-2.5-flash", "none", { thinkingBudget: 0 }],
    ["models/gemini-2.5-pro", "medium", { thinkingBudget: 8_192 }],
    ["gemini-2.5-pro", "high", { thinkingBudget: 24_576 }],
    ["gemini-2.5-pro", "constructor", { thinkingLevel: "CONSTRUCTOR" }],
  ])("lets %s think with effort %s", (model, effort, thinkingConfig) => {
    expect(body({ params: { reasoning_effort: effort } }, model)["generationConfig"]).toEqual({ thinkingConfig });
  });

  it.each<[ModelParams["response_format"], unknown]>([
    ["json", { responseMimeType: "application/json" }],
    [
      { name: "x", schema: { type: "object" }, strict: true },
      { responseMimeType: "application/json", responseJsonSchema: { type: "object" } },
    ],
  ])("asks for the format %j", (format, generationConfig) => {
    expect(body({ params: { response_format: format } })["generationConfig"]).toEqual(generationConfig);
  });

  it("puts extra_body over everything else, into the generation config key by key", () => {
    const params = {
      temperature: 0,
      seed: 3,
      extra_body: { safetySettings: [], generationConfig: { seed: 4, topK: 5 } },
    };
    expect(body({ params })).toEqual({
      contents: [],
      safetySettings: [],
      generationConfig: { temperature: 0, seed: 4, topK: 5 },
    });
    expect(body({ params: { extra_body: { contents: ["x"] } } })).toEqual({ contents: ["x"] });
    const withNull = { seed: 3, extra_body: { generationConfig: null } };
    expect(body({ params: withNull })).toEqual({ contents: [], generationConfig: null });
  });
});

function call(id: string) {
  return { functionCall: { id, name: "lookup", args: { id } } };
}

function image(url: string): ContentPart {
  return { type: "image", source: { kind: "url", url } };
}

function file(fileUri: string, mimeType?: string) {
  return { fileData: mimeType === undefined ? { fileUri } : { fileUri, mimeType } };
}
