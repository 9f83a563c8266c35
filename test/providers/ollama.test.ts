import { Ollama, type ChatRequest, type ChatResponse } from "ollama";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ProviderRequest } from "../../packages/core/src/providers/provider.js";
import type { Message } from "../../packages/core/src/transcript/message.js";
import { ollamaFake } from "../support/fake-models/ollama.js";
import { sendJson, startServer, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor, requestOf, transport } from "./adapter-under-test.js";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const parameters = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };
const schema = { type: "object", properties: { status: { type: "string" } }, required: ["status"] };
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
    ],
  },
  {
    role: "assistant",
    text: "Let me look.",
    toolCalls: [
      { id: "call_1", tool: "lookup_order", args: { order_id: "ORD-1" } },
      { id: "call_2", tool: "lookup_order", args: { order_id: "ORD-2" } },
    ],
    providerData: { ollama: { thinking: "Two orders." } },
  },
  { role: "tool", callId: "call_1", tool: "lookup_order", content: '{"status":"delivered"}', isError: false },
  { role: "tool", callId: "call_2", tool: "lookup_order", content: noSuchOrder, isError: true },
  { role: "assistant", text: "ORD-1 was delivered.", toolCalls: [] },
  { role: "user", content: "Cancel it." },
];

const lookup = (orderId: string) => ({ function: { name: "lookup_order", arguments: { order_id: orderId } } });

const sdkRequest = {
  model: "the-model",
  messages: [
    { role: "system", content: "You are terse." },
    { role: "user", content: "Where are these orders?", images: [pixel] },
    {
      role: "assistant",
      content: "Let me look.",
      thinking: "Two orders.",
      tool_calls: [lookup("ORD-1"), lookup("ORD-2")],
    },
    { role: "tool", content: '{"status":"delivered"}', tool_name: "lookup_order" },
    { role: "tool", content: noSuchOrder, tool_name: "lookup_order" },
    { role: "assistant", content: "ORD-1 was delivered." },
    { role: "user", content: "Cancel it." },
  ],
  tools: [
    { type: "function", function: { name: "lookup_order", description: "Look an order up by its id", parameters } },
    { type: "function", function: { name: "cancel_order", parameters } },
  ],
  format: schema,
  think: "high",
  keep_alive: "10m",
  options: {
    temperature: 0,
    top_p: 0.9,
    num_predict: 512,
    seed: 7,
    stop: ["END"],
    frequency_penalty: 0.5,
    presence_penalty: -0.5,
    num_ctx: 8_192,
  },
} satisfies ChatRequest;

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
    tool_choice: "auto",
    parallel_tool_calls: true,
    response_format: { name: "order", schema, strict: true },
    extra_body: { keep_alive: "10m", options: { num_ctx: 8_192 } },
  },
});

const call = (id: string, index: number, name: string, args: unknown) => ({
  id,
  function: { index, name, arguments: args },
});
const calls = [
  call("call_i2ctqgll", 0, "cancel_order", { order_id: "ORD-1" }),
  call("call_i2ctqglm", 1, "lookup_order", { order_id: "grüße €" }),
];
const counts = {
  total_duration: 174_560_334,
  load_duration: 101_397_084,
  prompt_eval_count: 171,
  prompt_eval_duration: 13_074_791,
  eval_count: 14,
  eval_duration: 52_479_709,
};
const head = { model: "qwen3:8b", created_at: "2026-10-17T23:14:07.414671Z" };
const end = { ...head, message: { role: "assistant", content: "" }, done: true, done_reason: "stop", ...counts };

/** A reply with thinking and two calls, in the documented shape. */
const reply = {
  ...end,
  message: { role: "assistant", content: "I will cancel it.", thinking: "One was found.", tool_calls: calls },
};

const line = (message: Record<string, unknown>) => ({
  ...head,
  message: { role: "assistant", content: "", ...message },
  done: false,
});

/** The same reply as it is streamed. */
const lines = [
  line({ thinking: "One was" }),
  line({ thinking: " found." }),
  line({ content: "I will " }),
  line({ content: "cancel it." }),
  line({ tool_calls: calls.slice(0, 1) }),
  line({ tool_calls: calls.slice(1) }),
  end,
];

let server: LoopbackServer;

afterEach(() => server.close());
afterAll(() => transport.close());

const sdk = (): Ollama => new Ollama({ host: server.url });

/** Found by `OLLAMA_HOST`, as the tools of Ollama find their server. */
function ask(asked: ProviderRequest) {
  const adapter = adapterFor({ type: "ollama", model: "the-model", env: { OLLAMA_HOST: server.url } });
  return adapter.complete(asked, { signal: new AbortController().signal });
}

function bothRequests() {
  const [ofSdk, ofAdapter] = server.requests;
  if (ofSdk === undefined || ofAdapter === undefined) throw new Error("Two requests were expected");
  return { ofSdk, ofAdapter };
}

/** The server gives and takes ids of calls; the SDK does not know them yet, but passes on what it is given. */
function withoutIds(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    name === "id" || name === "tool_call_id" ? undefined : value,
  );
}

function startStream(events: readonly unknown[], ending: "whole" | "cut" = "whole"): Promise<LoopbackServer> {
  return startServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    for (const event of events) response.write(`${JSON.stringify(event)}\n`);
    if (ending === "whole") response.end();
    else setImmediate(() => response.destroy());
  });
}

/** Calls in the form of a transcript; their ids are not in the SDK's types. */
function callsOf({ tool_calls: called = [] }: ChatResponse["message"]) {
  return called.map((asked) => ({
    id: "id" in asked ? asked.id : undefined,
    tool: asked.function.name,
    args: asked.function.arguments,
  }));
}

function timeless(result: Awaited<ReturnType<typeof ask>>): unknown {
  return result.success ? { ...result.data, latencyMs: 0, timeToFirstTokenMs: 0 } : result;
}

describe("a request", () => {
  it("is the one that the SDK sends for the same conversation", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, reply));
    await sdk().chat(sdkRequest);
    await ask(request);
    const { ofSdk, ofAdapter } = bothRequests();
    expect(withoutIds(ofAdapter.json)).toEqual(ofSdk.json);
    expect(ofAdapter.json).toMatchObject({ stream: false });
    expect(ofAdapter).toMatchObject({ method: ofSdk.method, path: ofSdk.path });
    for (const name of ["authorization", "content-type", "accept"]) {
      expect(ofAdapter.headers[name]).toBe(ofSdk.headers[name]);
    }
  });

  it("for a stream is the one that the SDK sends", async () => {
    server = await startStream(lines);
    await readStream(await sdk().chat({ ...sdkRequest, stream: true }));
    await ask({ ...request, stream: true });
    const { ofSdk, ofAdapter } = bothRequests();
    expect(withoutIds(ofAdapter.json)).toEqual(ofSdk.json);
    expect(ofAdapter.json).toMatchObject({ stream: true });
  });

  it("gives a result the id of its call", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, reply));
    await ask(request);
    expect(server.requests[0]?.json).toMatchObject({
      messages: [
        { role: "system" },
        { role: "user" },
        { tool_calls: [{ id: "call_1" }, { id: "call_2" }] },
        { tool_call_id: "call_1" },
        { tool_call_id: "call_2" },
        { role: "assistant" },
        { role: "user" },
      ],
    });
  });

  it("with an image by URL is not sent", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, reply));
    const source = { kind: "url", url: "https://example.com/label.png" } as const;
    const result = await ask(requestOf({ messages: [{ role: "user", content: [{ type: "image", source }] }] }));
    expect(result).toMatchObject({ error: { code: "PROVIDER_API_ERROR", details: { retryable: false } } });
    expect(server.requests).toHaveLength(0);
  });
});

async function readStream(events: AsyncIterable<ChatResponse>) {
  let text = "";
  let thinking = "";
  const toolCalls: unknown[] = [];
  let last: ChatResponse | null = null;
  for await (const event of events) {
    text += event.message.content;
    thinking += event.message.thinking ?? "";
    toolCalls.push(...callsOf(event.message));
    last = event;
  }
  return { text, thinking, toolCalls, last };
}

describe("a reply", () => {
  it("is read as the SDK reads it", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, reply));
    const ofSdk = await sdk().chat(sdkRequest);
    const result = await ask(request);
    expect(result).toMatchObject({
      success: true,
      data: {
        text: ofSdk.message.content,
        toolCalls: callsOf(ofSdk.message),
        finishReason: { unified: "tool_calls", raw: ofSdk.done_reason },
        usage: { inputTokens: ofSdk.prompt_eval_count, outputTokens: ofSdk.eval_count },
        modelServed: ofSdk.model,
        providerData: { ollama: { thinking: ofSdk.message.thinking } },
      },
    });
  });

  it("that is streamed is read as the SDK reads it, and as without streaming", async () => {
    server = await startStream(lines);
    const { text, thinking, toolCalls, last } = await readStream(await sdk().chat({ ...sdkRequest, stream: true }));
    const streamed = await ask({ ...request, stream: true });
    expect(streamed).toMatchObject({
      success: true,
      data: {
        text,
        toolCalls,
        usage: { inputTokens: last?.prompt_eval_count, outputTokens: last?.eval_count },
        providerData: { ollama: { thinking } },
        timeToFirstTokenMs: expect.any(Number) as number,
      },
    });
    await server.close();
    server = await startServer((_request, response) => sendJson(response, 200, reply));
    expect(timeless(await ask(request))).toEqual(timeless(streamed));
  });

  it("that only tells that the model was loaded is no answer", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, { ...end, done_reason: "load" }));
    const result = await ask(request);
    const error = result.success ? null : result.error;
    expect(error?.code).toBe("PROVIDER_API_ERROR");
    expect(error?.message).toMatch(/^Ollama returned 200 with no answer, the model was only loaded/);
  });
});

describe("a stream that is cut", () => {
  it.each([
    [0, { retryable: true }],
    [1, { retryable: false, partialText: "" }],
    [3, { retryable: false, partialText: "I will " }],
    [6, { retryable: false, partialText: "I will cancel it." }],
  ])("after %i lines is a network error with what came", async (count, details) => {
    server = await startStream(lines.slice(0, count), "cut");
    const result = await ask({ ...request, stream: true });
    expect(result).toMatchObject({ error: { code: "PROVIDER_NETWORK_ERROR", details } });
    if (count === 0) expect(result.success || result.error.details).not.toHaveProperty("partialText");
  });

  it("by an error keeps the error and what came before it", async () => {
    server = await startStream([...lines.slice(0, 3), { error: "an error was encountered while running the model" }]);
    expect(await ask({ ...request, stream: true })).toMatchObject({
      error: {
        code: "PROVIDER_API_ERROR",
        message: 'Ollama returned 500: {"error":"an error was encountered while running the model"}',
        details: { retryable: false, partialText: "I will " },
      },
    });
  });
});

describe("an error", () => {
  it.each([
    [
      404,
      { error: 'model "the-model" not found, try pulling it first' },
      {
        code: "PROVIDER_API_ERROR",
        message: 'Ollama returned 404: {"error":"model \\"the-model\\" not found, try pulling it first"}',
        details: {},
      },
    ],
    [
      400,
      { error: '"the-model" does not support tools' },
      { code: "PROVIDER_API_ERROR", message: /^Ollama returned 400: .*does not support tools/, details: {} },
    ],
    [
      401,
      { error: "unauthorized", signin_url: "https://ollama.com/connect?name=box&key=abc" },
      {
        code: "PROVIDER_AUTH_ERROR",
        message: /^Ollama API key is invalid or missing/,
        details: { retryable: false, body: /signin_url/ },
      },
    ],
    [
      429,
      {
        error: "you (ada) have reached your weekly usage limit, upgrade for higher limits: https://ollama.com/upgrade",
      },
      {
        code: "PROVIDER_API_ERROR",
        message: /^Ollama quota is exhausted: you \(ada\) have reached your weekly usage limit/,
        details: { quota: true, retryable: false },
      },
    ],
    [
      429,
      { error: "too many concurrent requests" },
      { code: "PROVIDER_RATE_LIMIT", message: /^Ollama rate limit hit/, details: { retryable: true } },
    ],
    [
      500,
      { error: "llama runner process has terminated" },
      { code: "PROVIDER_API_ERROR", message: /^Ollama returned 500: /, details: {} },
    ],
    [
      503,
      { error: "server busy, please try again.  maximum pending requests exceeded" },
      { code: "PROVIDER_API_ERROR", message: /^Ollama returned 503: .*server busy/, details: { retryable: true } },
    ],
  ])("%i %j has its one code", async (status, body, { code, message, details }) => {
    server = await startServer((_request, response) => sendJson(response, status, body));
    const ofSdk: unknown = await sdk()
      .chat(sdkRequest)
      .catch((cause: unknown) => cause);
    expect(ofSdk).toMatchObject({ status_code: status, error: body.error });
    for (const stream of [false, true]) {
      const result = await ask({ ...request, stream });
      const error = result.success ? null : result.error;
      const { body: shown, ...rest } = { body: /./, ...details };
      expect(error).toMatchObject({ code, details: { provider: "Ollama", model: "the-model", status, ...rest } });
      expect(error?.message).toMatch(message);
      expect(error?.details).toHaveProperty("body", expect.stringMatching(shown));
    }
  });

  it("of a server that is not there names the address", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, reply));
    await server.close();
    expect(await ask(request)).toMatchObject({
      error: { code: "PROVIDER_NETWORK_ERROR", details: { systemCode: "ECONNREFUSED", retryable: true } },
    });
  });
});

describe("the fake model", () => {
  it.each([false, true])("reads what the adapter sends, and answers it (stream: %j)", async (stream) => {
    let read: unknown;
    const answer = { text: "One moment.", toolCalls: [{ tool: "lookup_order", args: { order_id: "ORD-1" } }] };
    server = await startServer(({ path: url, headers, body }, response) => {
      const asked = { url, headers, body };
      read = ollamaFake.read(asked);
      expect(ollamaFake.isStream(asked)).toBe(stream);
      const replied = ollamaFake.reply(answer, stream);
      response.writeHead(200, replied.headers);
      response.end(replied.body);
    });
    const { type, ...provider } = ollamaFake.config(server.url);
    const adapter = adapterFor({ type: String(type), provider, env: ollamaFake.env });
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
