import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toGeminiRequest } from "../../../../providers/gemini/gemini-format.js";
import type { ModelParams } from "../../../../providers/provider.js";
import type { ContentPart, Message, RequestedToolCall } from "../../../../transcript/message.js";
import type { JsonObject } from "../../../../values/json.js";
import { geminiRequestSchema, geminiTable } from "./gemini-table.js";
import { toJsonSchema } from "./open-api-schema.js";
import { identifyCalls, readGeminiRequest } from "./read-gemini-request.js";

const text = fc.string({ minLength: 1 });
const object = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 5 }).filter((key) => key !== "__proto__"),
  fc.oneof(fc.string(), fc.integer(), fc.boolean()),
);
const call = fc.record({ id: fc.uuid(), tool: fc.constantFrom("a", "b"), args: object });
const image: fc.Arbitrary<ContentPart> = fc.constantFrom(
  { type: "image", source: { kind: "url", url: "https://example.com/x.png" } },
  { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } },
);
const said = fc.record({ type: fc.constant("text" as const), text });

const signed = { gemini: { parts: [{ text: "x", thoughtSignature: "c2ln" }] } };

const exchange = fc
  .record({
    content: fc.oneof(
      text,
      fc.tuple(image, fc.array(fc.oneof(said, image), { maxLength: 2 })).map((all) => all.flat()),
    ),
    answer: fc.oneof(
      fc.record({ text, toolCalls: fc.array(call, { maxLength: 2 }) }),
      fc.constant({ text: "x", toolCalls: [], providerData: signed }),
    ),
    // As JSON text, or text that is none.
    result: fc.oneof(
      fc.string().map((words) => `it ${words}`),
      object.map((value) => JSON.stringify(value)),
    ),
    isError: fc.boolean(),
  })
  .map(({ content, answer, result, isError }): Message[] => [
    { role: "user", content },
    { role: "assistant", ...answer },
    ...(answer.toolCalls as readonly RequestedToolCall[]).map(({ id, tool }): Message => ({
      role: "tool",
      callId: id,
      tool,
      content: result,
      isError,
    })),
  ]);

const params: fc.Arbitrary<ModelParams> = fc.record(
  {
    temperature: fc.double({ min: 0, max: 2, noNaN: true }).map((value) => value + 0),
    top_p: fc.constant(0.5),
    max_tokens: fc.integer({ min: 1 }),
    seed: fc.integer(),
    stop: fc.array(text, { minLength: 1, maxLength: 2 }),
    frequency_penalty: fc.constant(1),
    presence_penalty: fc.constant(-1),
    reasoning_effort: fc.constantFrom("none", "low", "medium", "high"),
    tool_choice: fc.constantFrom("auto" as const, "none" as const, "required" as const, { tool: "a" }),
    response_format: fc.constantFrom("json" as const, { schema: { type: "object" } }),
  },
  { requiredKeys: [] },
);

function read(body: unknown, known: Parameters<typeof identifyCalls>[1] = []) {
  const { contents, ...rest } = body as { contents: unknown };
  const written = { ...rest, contents: identifyCalls(contents, known) };
  expect(geminiTable(written, "").filter(({ kind }) => kind === "refused")).toEqual([]);
  return readGeminiRequest(geminiRequestSchema.parse(written), () => undefined);
}

describe("readGeminiRequest", () => {
  it("reads back whatever the adapter for Gemini writes", () => {
    const tools = [{ name: "a", description: "A", parameters: { type: "object" } }];
    fc.assert(
      fc.property(
        fc.array(exchange, { minLength: 1, maxLength: 3 }),
        params,
        fc.option(text, { nil: undefined }),
        fc.constantFrom("gemini-2.5-pro", "gemini-3-flash"),
        (exchanges, asked, system, model) => {
          const messages = exchanges.flat();
          const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
          const request = { messages, tools, params: asked, origin, ...(system === undefined ? {} : { system }) };
          const body: unknown = JSON.parse(JSON.stringify(toGeminiRequest(request, model)));
          expect(read(body)).toEqual({ system: system ?? null, messages, tools, params: asked });
        },
      ),
    );
  });

  it("knows calls that the client sends without an id or with another one, and their results", () => {
    const known = [
      { id: "call_1_1", tool: "look", args: { at: 1 } },
      { id: "call_1_2", tool: "look", args: { at: 2 } },
      { id: "call_2_1", tool: "look", args: { at: 1 } },
    ];
    const asked = (args: object, id?: string) => ({ functionCall: { name: "look", args, ...(id ? { id } : {}) } });
    const told = (output: string, id?: string) => ({
      functionResponse: { name: "look", response: { output }, ...(id ? { id } : {}) },
    });
    const { messages } = read(
      {
        contents: [
          { role: "user", parts: [{ text: "?" }] },
          { role: "model", parts: [asked({ at: 1 })] },
          { role: "model", parts: [asked({ at: 2 }, "own-2")] },
          { role: "user", parts: [told("two", "own-2"), told("one")] },
          { role: "model", parts: [asked({ at: 1 })] },
          { role: "function", parts: [told("again"), { text: "go on" }] },
          { role: "model", parts: [asked({ at: 9 })] },
        ],
      },
      known,
    );
    expect(messages).toMatchObject([
      { role: "user" },
      { role: "assistant", toolCalls: [{ id: "call_1_1" }, { id: "call_1_2" }] },
      { role: "tool", callId: "call_1_2", content: "two" },
      { role: "tool", callId: "call_1_1", content: "one" },
      { role: "assistant", toolCalls: [{ id: "call_2_1" }] },
      { role: "tool", callId: "call_2_1", content: "again" },
      { role: "user", content: "go on" },
      { role: "assistant", toolCalls: [{ id: "call_0_1" }] },
    ]);
  });

  it("knows a call by its arguments if the client has forgotten another one", () => {
    const known = [1, 2].map((at) => ({ id: `call_${at}_1`, tool: "look", args: { at } }));
    const asked = { functionCall: { name: "look", args: { at: 2 } } };
    const told = { functionResponse: { name: "look", response: { output: "two" } } };
    const contents = [
      { role: "model", parts: [asked] },
      { role: "user", parts: [told] },
    ];
    expect(read({ contents }, known).messages).toMatchObject([
      { toolCalls: [{ id: "call_2_1" }] },
      { callId: "call_2_1", content: "two" },
    ]);
  });

  it("takes a result that is not wrapped as a whole", () => {
    const tell = (response: unknown) =>
      read({ contents: [{ role: "user", parts: [{ functionResponse: { name: "f", response } }] }] }).messages[0];
    expect(tell({ output: "a", error: "b" })).toMatchObject({ content: '{"output":"a","error":"b"}', isError: true });
    expect(tell({ error: { code: 3 } })).toMatchObject({ content: '{"code":3}', isError: true });
    expect(tell({ n: 1 })).toMatchObject({ content: '{"n":1}', isError: false });
    expect(tell({ output: null })).toMatchObject({ content: "null", isError: false });
  });

  it("restricts the tools to those that may be called", () => {
    const declarations = ["a", "b", "c"].map((name) => ({ name }));
    const asked = (mode: string, allowedFunctionNames: string[]) =>
      read({
        contents: [{ parts: [{ text: "?" }] }],
        tools: [{ functionDeclarations: declarations }],
        toolConfig: { functionCallingConfig: { mode, allowedFunctionNames } },
      });
    const several = asked("ANY", ["a", "c"]);
    expect([several.tools.map(({ name }) => name), several.params]).toEqual([["a", "c"], { tool_choice: "required" }]);
    expect(asked("ANY", ["b"]).params).toEqual({ tool_choice: { tool: "b" } });
    expect(asked("VALIDATED", []).params).toEqual({ tool_choice: "auto" });
  });
});

describe("geminiTable", () => {
  const user = (part: object) => ({ contents: [{ role: "user", parts: [part] }] });
  it.each([
    ["cachedContent", { cachedContent: "cachedContents/x" }],
    ["a_key_of_tomorrow", { a_key_of_tomorrow: 1 }],
    ["tools[].codeExecution", { tools: [{ codeExecution: {} }] }],
    ["tools[].urlContext", { tools: [{ urlContext: {} }] }],
    [
      "tools[].functionDeclarations[].behavior",
      { tools: [{ functionDeclarations: [{ name: "f", behavior: "NON_BLOCKING" }] }] },
    ],
    [
      "tools[].functionDeclarations[].parameters.properties.a.oddity",
      { tools: [{ functionDeclarations: [{ name: "f", parameters: { properties: { a: { oddity: 1 } } } }] }] },
    ],
    ["toolConfig.retrievalConfig", { toolConfig: { retrievalConfig: {} } }],
    ["generationConfig.candidateCount", { generationConfig: { candidateCount: 2 } }],
    ["generationConfig.responseLogprobs", { generationConfig: { responseLogprobs: true } }],
    ["generationConfig.responseModalities", { generationConfig: { responseModalities: ["IMAGE"] } }],
    ["generationConfig.responseMimeType", { generationConfig: { responseMimeType: "text/x.enum" } }],
    ["generationConfig.speechConfig", { generationConfig: { speechConfig: {} } }],
    ["contents[].parts[].inlineData", user({ inlineData: { mimeType: "audio/mp3", data: "AAAA" } })],
    ["contents[].parts[].fileData", user({ fileData: { fileUri: "gs://x/y.png" } })],
    [
      "contents[].parts[].fileData",
      user({
        fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/x", mimeType: "image/png" },
      }),
    ],
    ["contents[].parts[].executableCode", user({ executableCode: { code: "1" } })],
    ["contents[].parts[].codeExecutionResult", user({ codeExecutionResult: {} })],
    ["contents[].parts[].functionResponse.parts", user({ functionResponse: { name: "f", parts: [] } })],
    ["contents[].parts[].videoMetadata", user({ videoMetadata: {} })],
    ["systemInstruction.parts[].inlineData", { systemInstruction: { parts: [{ text: "a", inlineData: {} }] } }],
  ])("refuses %s", (path, body) => {
    expect(geminiTable(body, "")).toMatchObject([{ path, kind: "refused" }]);
  });

  it("lists what is lost, and nothing of what says nothing", () => {
    const lost = geminiTable(
      {
        ...user({ text: "a", thought: true, mediaResolution: {}, thoughtSignature: "x" }),
        generationConfig: {
          topK: 1,
          thinkingConfig: { thinkingBudget: 5, includeThoughts: true },
          mediaResolution: "X",
        },
        tools: [{ functionDeclarations: [{ name: "f", parameters: { propertyOrdering: [] }, response: {} }] }],
        toolConfig: { functionCallingConfig: { mode: "VALIDATED", allowedFunctionNames: ["a", "b"] } },
        safetySettings: [],
        labels: {},
      },
      "",
    );
    expect(lost.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      "dropped contents[].parts[].thought",
      "dropped contents[].parts[].mediaResolution",
      "dropped generationConfig.topK",
      "changed generationConfig.thinkingConfig.thinkingBudget",
      "dropped generationConfig.thinkingConfig.includeThoughts",
      "dropped generationConfig.mediaResolution",
      "dropped tools[].functionDeclarations[].parameters.propertyOrdering",
      "dropped tools[].functionDeclarations[].response",
      "changed toolConfig.functionCallingConfig.mode(VALIDATED)",
      "changed toolConfig.functionCallingConfig.allowedFunctionNames",
      "dropped safetySettings",
      "dropped labels",
    ]);
    const generationConfig = { candidateCount: 1, responseMimeType: "text/plain", responseModalities: ["TEXT"] };
    expect(geminiTable({ ...user({ text: "a", thought: false }), generationConfig, cachedContent: null }, "")).toEqual(
      [],
    );
  });
});

describe("toJsonSchema", () => {
  it.each<[JsonObject, JsonObject]>([
    [
      { type: "STRING", format: "enum", enum: ["a"] },
      { type: "string", enum: ["a"] },
    ],
    [
      { type: "INTEGER", nullable: true, example: 3 },
      { type: ["integer", "null"], examples: [3] },
    ],
    [
      { type: "STRING", nullable: true, enum: ["a"] },
      { type: ["string", "null"], enum: ["a", null] },
    ],
    [{ anyOf: [{ type: "STRING" }], nullable: true }, { anyOf: [{ type: "string" }, { type: "null" }] }],
    [
      { type: "ARRAY", items: { type: "NUMBER" }, maxItems: "5" },
      { type: "array", items: { type: "number" }, maxItems: 5 },
    ],
    [
      { type: "OBJECT", properties: { type: { type: "STRING" } }, required: ["type"], propertyOrdering: ["type"] },
      { type: "object", properties: { type: { type: "string" } }, required: ["type"] },
    ],
  ])("makes JSON Schema of %j", (openApi, expected) => {
    expect(toJsonSchema(openApi)).toEqual(expected);
  });
});
