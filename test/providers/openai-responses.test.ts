import OpenAI from "openai";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ProviderRequest } from "../../packages/core/src/providers/provider.js";
import type { Message } from "../../packages/core/src/transcript/message.js";
import { openaiResponsesFake } from "../support/fake-models/openai-responses.js";
import { namedEvents, responseBody, responseEvents, type ResponseBody } from "../support/responses-replies.js";
import { sendJson, startServer, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor, requestOf, transport } from "./adapter-under-test.js";

const key = "sk-test-comparison";
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const schema = { type: "object", properties: { done: { type: "boolean" } }, required: ["done"] };
const parameters = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };
const tools = [
  { name: "lookup_order", description: "Look an order up by its id", parameters },
  { name: "cancel_order", parameters },
];
const sdkTools: OpenAI.Responses.FunctionTool[] = [
  {
    type: "function",
    name: "lookup_order",
    description: "Look an order up by its id",
    parameters,
    strict: false,
  },
  { type: "function", name: "cancel_order", parameters, strict: false },
];
const thought = {
  id: "rs_6820f383d7c08191846711c5df8233bc",
  type: "reasoning",
  summary: [],
  encrypted_content: "gAAAAABoIPOD",
};
const answer = {
  text: "I will cancel it.",
  toolCalls: [{ id: "call_3", tool: "cancel_order", args: { order_id: "ORD-1", reason: "grüße €" } }],
};

let server: LoopbackServer;

afterEach(() => server.close());
afterAll(() => transport.close());

const sdk = (): OpenAI => new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 });

function ask(request: ProviderRequest) {
  const provider = { base_url: `${server.url}/v1`, api: "responses" };
  const adapter = adapterFor({ type: "openai", model: "the-model", provider, env: { OPENAI_API_KEY: key } });
  return adapter.complete(request, { signal: new AbortController().signal });
}

/** A server that streams these events, and cuts the connection when `isCut`. */
function streaming(text: string, isCut = false): Promise<LoopbackServer> {
  return startServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req_1" });
    response.write(text, () => (isCut ? response.destroy() : response.end()));
  });
}

describe("a request", () => {
  const messages: readonly Message[] = [
    {
      role: "user",
      content: [
        { type: "text", text: "Where are these orders?" },
        { type: "image", source: { kind: "base64", mediaType: "image/png", data: pixel } },
        { type: "image", source: { kind: "url", url: "https://example.com/label.png" } },
      ],
    },
    {
      role: "assistant",
      text: "Let me look.",
      toolCalls: [
        { id: "call_1", tool: "lookup_order", args: { order_id: "ORD-1" } },
        { id: "call_2", tool: "lookup_order", args: { order_id: "ORD-2" } },
      ],
    },
    { role: "tool", callId: "call_1", tool: "lookup_order", content: '{"status":"delivered"}', isError: false },
    { role: "tool", callId: "call_2", tool: "lookup_order", content: '{"ok":false}', isError: true },
    { role: "assistant", text: "ORD-1 was delivered.", toolCalls: [] },
    { role: "user", content: "Cancel it." },
  ];
  const input: OpenAI.Responses.ResponseInput = [
    { role: "system", content: "You are terse." },
    {
      role: "user",
      content: [
        { type: "input_text", text: "Where are these orders?" },
        { type: "input_image", image_url: `data:image/png;base64,${pixel}`, detail: "auto" },
        { type: "input_image", image_url: "https://example.com/label.png", detail: "auto" },
      ],
    },
    { role: "assistant", content: "Let me look." },
    { type: "function_call", call_id: "call_1", name: "lookup_order", arguments: '{"order_id":"ORD-1"}' },
    { type: "function_call", call_id: "call_2", name: "lookup_order", arguments: '{"order_id":"ORD-2"}' },
    { type: "function_call_output", call_id: "call_1", output: '{"status":"delivered"}' },
    { type: "function_call_output", call_id: "call_2", output: '{"ok":false}' },
    { role: "assistant", content: "ORD-1 was delivered." },
    { role: "user", content: "Cancel it." },
  ];

  it.each([false, true])("is the one that the SDK sends for the same conversation; streamed: %j", async (stream) => {
    server = await startServer((_request, response) => sendJson(response, 200, responseBody(answer)));
    await sdk().responses.create({
      model: "the-model",
      input,
      store: false,
      ...(stream ? { stream } : {}),
      tools: sdkTools,
      temperature: 0,
      top_p: 0.9,
      max_output_tokens: 512,
      reasoning: { effort: "low" },
      text: { format: { type: "json_schema", name: "outcome", schema, strict: true } },
      tool_choice: { type: "function", name: "cancel_order" },
      parallel_tool_calls: false,
    });
    const params = {
      temperature: 0,
      top_p: 0.9,
      max_tokens: 512,
      reasoning_effort: "low",
      response_format: { name: "outcome", schema, strict: true },
      tool_choice: { tool: "cancel_order" },
      parallel_tool_calls: false,
      // The API knows none of these.
      seed: 7,
      stop: ["END"],
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
    };
    await ask(requestOf({ system: "You are terse.", messages, tools, params, stream }));
    const [ofSdk, ofAdapter] = server.requests;
    expect(ofAdapter?.json).toEqual(ofSdk?.json);
    expect(ofAdapter).toMatchObject({ method: "POST", path: "/v1/responses" });
    expect(ofSdk).toMatchObject({ method: "POST", path: "/v1/responses" });
    for (const name of ["authorization", "content-type"]) {
      expect(ofAdapter?.headers[name]).toBe(ofSdk?.headers[name]);
    }
  });

  it("carries reasoning on to the next turn as the SDK's output does", async () => {
    const first = responseBody(answer, [thought]);
    server = await startServer((_request, response) => sendJson(response, 200, first));
    const question = { role: "user", content: "Cancel it." } as const;
    const opened = { model: "the-model", store: false, tools: sdkTools };
    const given = await sdk().responses.create({ ...opened, input: [question] });
    const output = { type: "function_call_output", call_id: "call_3", output: "done" } as const;
    const history = [question, ...given.output, output] as OpenAI.Responses.ResponseInput;
    await sdk().responses.create({ ...opened, input: history });

    const read = await ask(requestOf({ messages: [question], tools }));
    if (!read.success) throw new Error(read.error.message);
    const { text, toolCalls, providerData } = read.data;
    const said: Message = { role: "assistant", text, toolCalls, providerData };
    const result: Message = { role: "tool", callId: "call_3", tool: "cancel_order", content: "done", isError: false };
    await ask(requestOf({ messages: [question, said, result], tools }));
    expect(server.requests[3]?.json).toEqual(server.requests[1]?.json);
    expect(server.requests[3]?.body).toContain(thought.encrypted_content);
  });
});

describe("an answer", () => {
  /** What the SDK makes of it, in our words. */
  function inOurWords(response: OpenAI.Responses.Response) {
    const contents = response.output.flatMap((item) => (item.type === "message" ? item.content : []));
    const calls = response.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ id: item.call_id, tool: item.name, args: JSON.parse(item.arguments) as unknown }]
        : [],
    );
    return {
      text: contents.map((part) => (part.type === "output_text" ? part.text : part.refusal)).join(""),
      toolCalls: calls,
      modelServed: response.model,
      usage: {
        inputTokens: response.usage?.input_tokens,
        outputTokens: response.usage?.output_tokens,
        cachedInputTokens: response.usage?.input_tokens_details.cached_tokens,
        reasoningTokens: response.usage?.output_tokens_details.reasoning_tokens,
      },
    };
  }

  it("is read as the SDK reads it", async () => {
    const headers = { "x-request-id": "req_1" };
    server = await startServer((_request, response) => sendJson(response, 200, responseBody(answer), headers));
    const { data, request_id: requestId } = await sdk()
      .responses.create({ model: "the-model", input: "Hi" })
      .withResponse();
    const read = await ask(requestOf());
    expect(read).toMatchObject({ success: true, data: { ...inOurWords(data), text: data.output_text, requestId } });
    expect(read).toMatchObject({ data: { finishReason: { unified: "tool_calls", raw: data.status } } });
  });

  it("is the same streamed, for the SDK and for us", async () => {
    server = await streaming(namedEvents(responseEvents(responseBody(answer, [thought]))));
    const ofSdk = await sdk().responses.stream({ model: "the-model", input: "Hi" }).finalResponse();
    const streamed = await ask(requestOf({ stream: true }));
    expect(streamed).toMatchObject({ success: true, data: { ...inOurWords(ofSdk), requestId: "req_1" } });
    expect(streamed).toMatchObject({ data: { timeToFirstTokenMs: expect.any(Number) as number } });
    await server.close();
    server = await startServer((_request, response) => sendJson(response, 200, responseBody(answer, [thought])));
    const whole = await ask(requestOf());
    if (!whole.success || !streamed.success) throw new Error("Both must succeed");
    expect(streamed.data.providerData).toEqual(whole.data.providerData);
    expect(streamed.data.finishReason).toEqual(whole.data.finishReason);
  });

  it("that was cut at the limit of tokens is one, streamed and not", async () => {
    const body: ResponseBody = {
      ...responseBody({ text: "I will can" }),
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    };
    const expected = { success: true, data: { text: "I will can", finishReason: { unified: "length" } } };
    server = await streaming(namedEvents(responseEvents(body)));
    expect(await ask(requestOf({ stream: true }))).toMatchObject(expected);
    await server.close();
    server = await startServer((_request, response) => sendJson(response, 200, body));
    expect(await ask(requestOf())).toMatchObject(expected);
  });
});

describe("a failure", () => {
  const events = responseEvents(responseBody({ text: "I will cancel it." }));

  it("of the connection before the first event may be tried again", async () => {
    server = await streaming(": hello\n\n", true);
    expect(await ask(requestOf({ stream: true }))).toMatchObject({
      success: false,
      error: { code: "PROVIDER_NETWORK_ERROR", details: { retryable: true } },
    });
  });

  it.each([
    [1, ""],
    [5, "I will ca"],
    [events.length - 1, "I will cancel it."],
  ])("of the connection after %i events may not, and keeps the text", async (count, partialText) => {
    server = await streaming(namedEvents(events.slice(0, count)), true);
    expect(await ask(requestOf({ stream: true }))).toMatchObject({
      success: false,
      error: { code: "PROVIDER_NETWORK_ERROR", details: { retryable: false, partialText } },
    });
  });

  it("to answer that comes with status 200 has the code of its reason", async () => {
    const error = { code: "rate_limit_exceeded", message: `Rate limit for ${key}. Please try again in 1.2s.` };
    const body = { ...responseBody({}), status: "failed", error };
    server = await startServer((_request, response) => sendJson(response, 200, body, { "x-request-id": "req_2" }));
    const result = await ask(requestOf());
    expect(result).toMatchObject({
      success: false,
      error: {
        code: "PROVIDER_RATE_LIMIT",
        message: "OpenAI rate limit hit. Retry after 1.2 seconds.",
        details: { status: 429, retryable: true, retryAfterMs: 1_200, requestId: "req_2" },
      },
    });
    expect(JSON.stringify(result)).not.toContain(key);
  });

  it.each([
    ["server_error", "PROVIDER_API_ERROR", 500],
    ["invalid_prompt", "PROVIDER_API_ERROR", 400],
    ["insufficient_quota", "PROVIDER_API_ERROR", 500],
  ])("in the stream, %s, is %s", async (code, expected, status) => {
    const error = { code, message: "No." };
    const failed = { type: "response.failed", response: { ...responseBody({}), status: "failed", error } };
    server = await streaming(namedEvents([...events.slice(0, 5), failed]));
    expect(await ask(requestOf({ stream: true }))).toMatchObject({
      success: false,
      error: { code: expected, details: { status, retryable: false, partialText: "I will ca" } },
    });
  });

  it.each([
    [401, { code: "invalid_api_key" }, "PROVIDER_AUTH_ERROR"],
    [404, { code: "model_not_found" }, "PROVIDER_API_ERROR"],
    [429, { code: "rate_limit_exceeded" }, "PROVIDER_RATE_LIMIT"],
    [429, { code: "insufficient_quota" }, "PROVIDER_API_ERROR"],
    [503, { code: null }, "PROVIDER_API_ERROR"],
  ])("with status %i and %j is one for the SDK and %s for us", async (status, error, code) => {
    const body = { error: { message: "No.", type: "t", param: null, ...error } };
    server = await startServer((_request, response) => sendJson(response, status, body, { "x-request-id": "req_9" }));
    const ofSdk: unknown = await sdk()
      .responses.create({ model: "the-model", input: "Hi" })
      .catch((cause: unknown) => cause);
    expect(ofSdk).toMatchObject({ status, requestID: "req_9" });
    for (const stream of [false, true]) {
      const result = await ask(requestOf({ stream }));
      expect(result).toMatchObject({ success: false, error: { code, details: { status, requestId: "req_9" } } });
    }
  });
});

it("has a stand-in that reads what is sent and answers in its format", async () => {
  const { config, env, read, reply, isStream } = openaiResponsesFake;
  const messages: readonly Message[] = [
    { role: "user", content: [{ type: "text", text: "Cancel it." }] },
    { role: "assistant", text: "", toolCalls: [{ id: "call_1", tool: "cancel_order", args: {} }] },
    { role: "tool", callId: "call_1", tool: "cancel_order", content: "done", isError: false },
  ];
  server = await startServer((request, response) => {
    const asked = { url: request.path, headers: request.headers, body: request.body };
    expect(read(asked)).toEqual({
      system: "You are terse.",
      userTexts: ["Cancel it."],
      toolResults: [{ tool: "cancel_order", content: "done" }],
      tools: ["lookup_order", "cancel_order"],
    });
    const toolCalls = [{ tool: "lookup_order", args: { order_id: "ORD-1" } }];
    const { headers, body } = reply({ text: "Bye", toolCalls }, isStream(asked));
    response.writeHead(200, headers).end(body);
  });
  const adapter = adapterFor({ type: "openai", provider: config(server.url), env });
  for (const stream of [false, true]) {
    const request = requestOf({ system: "You are terse.", messages, tools, stream });
    expect(await adapter.complete(request, { signal: new AbortController().signal })).toMatchObject({
      data: { text: "Bye", toolCalls: [{ tool: "lookup_order", args: { order_id: "ORD-1" } }] },
    });
  }
});
