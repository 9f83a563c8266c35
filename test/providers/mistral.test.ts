import { Chat } from "@mistralai/mistralai/sdk/chat.js";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ProviderRequest } from "../../packages/core/src/providers/provider.js";
import type { Message } from "../../packages/core/src/transcript/message.js";
import { mistralFake } from "../support/fake-models/mistral.js";
import { sendJson, startServer, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor, requestOf, transport } from "./adapter-under-test.js";

const key = "sk-test-mistral";
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const parameters = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };
const schema = { type: "object", properties: { status: { type: "string" } }, required: ["status"] };
const thinking = [
  { type: "thinking", thinking: [{ type: "text", text: "One was found." }], signature: "sig-1" },
] as const;
const noSuchOrder = '{"ok":false,"error":"no such order"}';

const tools = [
  { name: "lookup_order", description: "Look an order up by its id", parameters },
  { name: "cancel_order", parameters },
];

const history: readonly Message[] = [
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
      { id: "aaaaaaaa1", tool: "lookup_order", args: { order_id: "ORD-1" } },
      { id: "aaaaaaaa2", tool: "lookup_order", args: { order_id: "ORD-2" } },
    ],
  },
  { role: "tool", callId: "aaaaaaaa1", tool: "lookup_order", content: '{"status":"delivered"}', isError: false },
  { role: "tool", callId: "aaaaaaaa2", tool: "lookup_order", content: noSuchOrder, isError: true },
  {
    role: "assistant",
    text: "ORD-1 was delivered.",
    toolCalls: [],
    providerData: { mistral: { content: [...thinking, { type: "text", text: "ORD-1 was delivered." }] } },
  },
  { role: "user", content: "Cancel it." },
];

type SdkRequest = Parameters<Chat["complete"]>[0];

const lookup = (id: string, orderId: string, index: number) => ({
  id,
  type: "function" as const,
  function: { name: "lookup_order", arguments: JSON.stringify({ order_id: orderId }) },
  index,
});

const sdkRequest: SdkRequest = {
  model: "the-model",
  messages: [
    { role: "system", content: "You are terse." },
    {
      role: "user",
      content: [
        { type: "text", text: "Where are these orders?" },
        { type: "image_url", imageUrl: { url: `data:image/png;base64,${pixel}` } },
        { type: "image_url", imageUrl: { url: "https://example.com/label.png" } },
      ],
    },
    {
      role: "assistant",
      content: "Let me look.",
      toolCalls: [lookup("aaaaaaaa1", "ORD-1", 0), lookup("aaaaaaaa2", "ORD-2", 1)],
    },
    { role: "tool", toolCallId: "aaaaaaaa1", name: "lookup_order", content: '{"status":"delivered"}' },
    { role: "tool", toolCallId: "aaaaaaaa2", name: "lookup_order", content: noSuchOrder },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "One was found." }], signature: "sig-1" },
        { type: "text", text: "ORD-1 was delivered." },
      ],
    },
    { role: "user", content: "Cancel it." },
  ],
  tools: [
    { type: "function", function: { name: "lookup_order", description: "Look an order up by its id", parameters } },
    { type: "function", function: { name: "cancel_order", parameters } },
  ],
  temperature: 0,
  topP: 0.9,
  maxTokens: 512,
  randomSeed: 7,
  stop: ["END"],
  frequencyPenalty: 0.5,
  presencePenalty: -0.5,
  reasoningEffort: "high",
  toolChoice: "any",
  parallelToolCalls: false,
  responseFormat: { type: "json_schema", jsonSchema: { name: "order", schemaDefinition: schema, strict: true } },
  safePrompt: true,
};

const request = requestOf({
  system: "You are terse.",
  messages: history,
  tools,
  params: {
    temperature: 0,
    top_p: 0.9,
    max_tokens: 512,
    seed: 7,
    stop: ["END"],
    frequency_penalty: 0.5,
    presence_penalty: -0.5,
    reasoning_effort: "high",
    tool_choice: "required",
    parallel_tool_calls: false,
    response_format: { name: "order", schema, strict: true },
    extra_body: { safe_prompt: true },
  },
});

const usage = {
  prompt_tokens: 171,
  total_tokens: 185,
  completion_tokens: 14,
  prompt_tokens_details: { cached_tokens: 128 },
};

/** A reply with thinking and two calls, in the documented shape. */
const reply = {
  id: "735e434874a24f68a2390b3cab149242",
  object: "chat.completion",
  created: 1_787_234_678,
  model: "mistral-medium-2508",
  usage,
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: [...thinking, { type: "text", text: "I will cancel it." }],
        tool_calls: [
          { id: "gSIMJiOkT", index: 0, function: { name: "cancel_order", arguments: '{"order_id":"ORD-1"}' } },
          { id: "gSIMJiOkU", index: 1, function: { name: "lookup_order", arguments: '{"order_id":"grüße €"}' } },
        ],
      },
      finish_reason: "tool_calls",
    },
  ],
};

const chunk = (
  delta: Record<string, unknown>,
  finishReason: string | null = null,
  rest: Record<string, unknown> = {},
) => ({
  id: reply.id,
  object: "chat.completion.chunk",
  created: reply.created,
  model: reply.model,
  choices: [{ index: 0, delta, finish_reason: finishReason }],
  ...rest,
});

/** The same reply as it is streamed. */
const chunks = [
  chunk({ role: "assistant", content: "" }),
  chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "One was" }] }] }),
  chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: " found." }], signature: "sig-1" }] }),
  chunk({ content: [{ type: "text", text: "I will " }] }),
  chunk({ content: "cancel it." }),
  chunk({ content: "", tool_calls: reply.choices[0]?.message.tool_calls }, "tool_calls", { usage }),
];

let server: LoopbackServer;

afterEach(() => server.close());
afterAll(() => transport.close());

/** Of the SDK only what is compared: the rest of it takes a third of a second to load. */
const sdk = (): Chat => new Chat({ apiKey: key, serverURL: server.url, retryConfig: { strategy: "none" } });

function ask(asked: ProviderRequest, env: Readonly<Record<string, string>> = { MISTRAL_API_KEY: key }) {
  const adapter = adapterFor({ type: "mistral", model: "the-model", provider: { base_url: server.url }, env });
  return adapter.complete(asked, { signal: new AbortController().signal });
}

function bothRequests() {
  const [ofSdk, ofAdapter] = server.requests;
  if (ofSdk === undefined || ofAdapter === undefined) throw new Error("Two requests were expected");
  return { ofSdk, ofAdapter };
}

/** The SDK writes the API's own defaults out: `stream`, `prefix`, and the position of a call in its list. */
function withoutDefaults(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value: unknown) => {
    const isDefault = name === "index" || ((name === "stream" || name === "prefix") && value === false);
    return isDefault ? undefined : value;
  });
}

function startStream(events: readonly unknown[], end: "done" | "cut" = "done"): Promise<LoopbackServer> {
  return startServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "mistral-correlation-id": "c-1" });
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    if (end === "done") response.end("data: [DONE]\n\n");
    else setImmediate(() => response.destroy());
  });
}

/** What the SDK makes of a stream. */
async function readStream(events: Awaited<ReturnType<Chat["stream"]>>) {
  let text = "";
  const calls: unknown[] = [];
  let tokens: unknown;
  for await (const { data } of events) {
    const { content, toolCalls } = data.choices[0]?.delta ?? {};
    if (typeof content === "string") text += content;
    else for (const part of content ?? []) text += part.type === "text" ? part.text : "";
    for (const { id, function: called } of toolCalls ?? []) {
      calls.push({ id, tool: called.name, args: parsed(called.arguments) });
    }
    tokens = data.usage ?? tokens;
  }
  return { text, calls, tokens };
}

function timeless(result: Awaited<ReturnType<typeof ask>>): unknown {
  return result.success ? { ...result.data, latencyMs: 0, timeToFirstTokenMs: 0 } : result;
}

function parsed(args: unknown): unknown {
  return typeof args === "string" ? JSON.parse(args) : args;
}

describe("a request", () => {
  it("is the one that the SDK sends for the same conversation", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, reply));
    await sdk().complete(sdkRequest);
    await ask(request);
    const { ofSdk, ofAdapter } = bothRequests();
    expect(ofAdapter.json).toEqual(withoutDefaults(ofSdk.json));
    expect(ofAdapter).toMatchObject({ method: ofSdk.method, path: ofSdk.path });
    for (const name of ["authorization", "content-type", "accept"]) {
      expect(ofAdapter.headers[name]).toBe(ofSdk.headers[name]);
    }
    expect(ofAdapter.headers["authorization"]).toBe(`Bearer ${key}`);
  });

  it("for a stream is the one that the SDK sends", async () => {
    server = await startStream(chunks);
    await readStream(await sdk().stream(sdkRequest));
    await ask({ ...request, stream: true });
    const { ofSdk, ofAdapter } = bothRequests();
    expect(ofAdapter.json).toEqual(withoutDefaults(ofSdk.json));
    expect(ofAdapter.json).toMatchObject({ stream: true });
    expect(ofAdapter.path).toBe(ofSdk.path);
  });
});

describe("a reply", () => {
  it("is read as the SDK reads it", async () => {
    const headers = { "mistral-correlation-id": "c-1" };
    server = await startServer((_request, response) => sendJson(response, 200, reply, headers));
    const ofSdk = await sdk().complete(sdkRequest);
    const result = await ask(request);
    const read = result.success ? result.data : null;
    const [choice] = ofSdk.choices;
    const calls = choice?.message?.toolCalls?.map(({ id, function: { name, arguments: args } }) => ({
      id,
      tool: name,
      args: parsed(args),
    }));
    expect(read).toMatchObject({
      text: "I will cancel it.",
      toolCalls: calls,
      finishReason: { unified: "tool_calls", raw: choice?.finishReason },
      usage: {
        inputTokens: ofSdk.usage.promptTokens,
        outputTokens: ofSdk.usage.completionTokens,
        cachedInputTokens: 128,
      },
      modelServed: ofSdk.model,
      requestId: "c-1",
      providerData: { mistral: { content: choice?.message?.content } },
    });
    expect(calls).toHaveLength(2);
  });

  it("that is streamed is read as the SDK reads it, and as without streaming", async () => {
    server = await startStream(chunks);
    const { text, calls, tokens } = await readStream(await sdk().stream(sdkRequest));
    const streamed = await ask({ ...request, stream: true });
    expect(streamed).toMatchObject({
      success: true,
      data: { text, toolCalls: calls, requestId: "c-1", timeToFirstTokenMs: expect.any(Number) as number },
    });
    expect(tokens).toMatchObject({ promptTokens: 171, completionTokens: 14 });
    await server.close();
    const headers = { "mistral-correlation-id": "c-1" };
    server = await startServer((_request, response) => sendJson(response, 200, reply, headers));
    expect(timeless(await ask(request))).toEqual(timeless(streamed));
  });
});

describe("a stream that is cut", () => {
  it.each([
    [0, { retryable: true }],
    [1, { retryable: false, partialText: "" }],
    [4, { retryable: false, partialText: "I will " }],
  ])("after %i chunks is a network error with what came", async (count, details) => {
    server = await startStream(chunks.slice(0, count), "cut");
    const result = await ask({ ...request, stream: true });
    expect(result).toMatchObject({ success: false, error: { code: "PROVIDER_NETWORK_ERROR", details } });
    if (count === 0) expect(result.success || result.error.details).not.toHaveProperty("partialText");
  });

  it("by an error has the error's code", async () => {
    const error = { object: "error", message: "Rate limit exceeded", type: "rate_limited", param: null, code: "1300" };
    server = await startStream([...chunks.slice(0, 4), error]);
    expect(await ask({ ...request, stream: true })).toMatchObject({
      error: { code: "PROVIDER_RATE_LIMIT", details: { status: 429, retryable: false, partialText: "I will " } },
    });
  });
});

const errorOf = (message: unknown, type: string, code: string | null) => ({
  object: "error",
  message,
  type,
  param: null,
  code,
});
const missing = { detail: [{ type: "missing", loc: ["body", "messages"], msg: "Field required", input: {} }] };

describe("an error", () => {
  it.each<[number, unknown, Record<string, string>, { code: string; message: string | RegExp; details: object }]>([
    [
      401,
      { detail: "Unauthorized" },
      {},
      {
        code: "PROVIDER_AUTH_ERROR",
        message: "Mistral API key is invalid or missing. Set MISTRAL_API_KEY environment variable.",
        details: { retryable: false, requestId: "c-9" },
      },
    ],
    [
      403,
      errorOf("This model is not available in your subscription tier", "tier_not_allowed", "1910"),
      {},
      {
        code: "PROVIDER_AUTH_ERROR",
        message: "Mistral refused access (403): This model is not available in your subscription tier",
        details: { retryable: false },
      },
    ],
    [
      402,
      errorOf("Payment required", "payment_required", null),
      {},
      { code: "PROVIDER_API_ERROR", message: "Mistral quota is exhausted: Payment required", details: { quota: true } },
    ],
    [
      400,
      errorOf("Invalid model: the-model", "invalid_model", "1500"),
      {},
      { code: "PROVIDER_API_ERROR", message: /^Mistral returned 400: .*Invalid model: the-model/, details: {} },
    ],
    [
      422,
      missing,
      {},
      {
        code: "PROVIDER_API_ERROR",
        message: /^Mistral returned 422: .*"messages"\],"msg":"Field required"/,
        details: {},
      },
    ],
    [
      422,
      errorOf(missing, "invalid_request_error", null),
      {},
      { code: "PROVIDER_API_ERROR", message: /^Mistral returned 422: .*"msg":"Field required"/, details: {} },
    ],
    [
      429,
      errorOf("Rate limit exceeded", "rate_limited", "1300"),
      { "retry-after": "2" },
      {
        code: "PROVIDER_RATE_LIMIT",
        message: "Mistral rate limit hit. Retry after 2 seconds.",
        details: { retryable: true, retryAfterMs: 2_000 },
      },
    ],
    [
      429,
      { message: "Requests rate limit exceeded" },
      { "ratelimitbysize-limit": "500000", "ratelimitbysize-remaining": "0", "ratelimitbysize-reset": "12" },
      {
        code: "PROVIDER_RATE_LIMIT",
        message: "Mistral rate limit hit. Retry after 12 seconds.",
        details: { retryable: true, retryAfterMs: 12_000 },
      },
    ],
    [
      503,
      errorOf("Service tier capacity exceeded for this model.", "service_tier_capacity_exceeded", "3505"),
      {},
      { code: "PROVIDER_API_ERROR", message: /^Mistral returned 503: /, details: { retryable: true } },
    ],
  ])("%i %j %j has its one code", async (status, body, headers, expected) => {
    server = await startServer((_request, response) => {
      sendJson(response, status, body, { "mistral-correlation-id": "c-9", ...headers });
    });
    const ofSdk: unknown = await sdk()
      .complete(sdkRequest)
      .catch((cause: unknown) => cause);
    expect(ofSdk).toMatchObject({ statusCode: status });
    const result = await ask(request);
    const error = result.success ? null : result.error;
    expect(error).toMatchObject({ code: expected.code, details: { provider: "Mistral", status, ...expected.details } });
    expect(error?.message).toMatch(expected.message);
  });

  it("for want of a key is told without a request", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, reply));
    const adapter = adapterFor({ type: "mistral", env: {} });
    const result = await adapter.complete(requestOf(), { signal: new AbortController().signal });
    expect(result).toMatchObject({ error: { code: "PROVIDER_AUTH_ERROR" } });
    expect(server.requests).toHaveLength(0);
  });
});

describe("the fake model", () => {
  it.each([false, true])("reads what the adapter sends, and answers it (stream: %j)", async (stream) => {
    let read: unknown;
    const answer = { text: "One moment.", toolCalls: [{ tool: "lookup_order", args: { order_id: "ORD-1" } }] };
    server = await startServer(({ path: url, headers, body }, response) => {
      const asked = { url, headers, body };
      read = mistralFake.read(asked);
      expect(mistralFake.isStream(asked)).toBe(stream);
      const replied = mistralFake.reply(answer, stream);
      response.writeHead(200, replied.headers);
      response.end(replied.body);
    });
    const { type, ...provider } = mistralFake.config(server.url);
    const adapter = adapterFor({ type: String(type), provider, env: mistralFake.env });
    const result = await adapter.complete({ ...request, stream }, { signal: new AbortController().signal });
    expect(read).toEqual({
      system: "You are terse.",
      userTexts: ["Where are these orders?", "Cancel it."],
      toolResults: [
        { tool: "lookup_order", content: '{"status":"delivered"}' },
        { tool: "lookup_order", content: noSuchOrder },
      ],
      tools: ["lookup_order", "cancel_order"],
    });
    expect(result).toMatchObject({ data: { ...answer, finishReason: { unified: "tool_calls" } } });
  });
});
