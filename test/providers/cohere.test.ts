import { CohereClientV2, CohereError, type Cohere } from "cohere-ai";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ProviderRequest } from "../../packages/core/src/providers/provider.js";
import { cohereEvents, cohereFake, cohereReply } from "../support/fake-models/cohere.js";
import { collect } from "../support/collect.js";
import { sendStream, sseFrames } from "../support/send-stream.js";
import { sendJson, startServer, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor, requestOf, transport } from "./adapter-under-test.js";
import { parameters, pixel, sampleHistory, sampleTools } from "./sample-conversation.js";

const key = "co-test-comparison";
const model = "command-a-03-2025";
const said = { text: "ORD-1 was delivered.", toolCalls: [] };
const called = {
  text: "I will cancel them.",
  toolCalls: [
    { tool: "cancel_order", args: { order_id: "ORD-1", reason: "grüße €" } },
    { tool: "cancel_order", args: { order_id: "ORD-2" } },
  ],
};

let server: LoopbackServer;

afterEach(() => server.close());
afterAll(() => transport.close());

function sdk(): CohereClientV2 {
  return new CohereClientV2({ token: key, environment: server.url, maxRetries: 0 });
}

function ask(request: ProviderRequest) {
  const provider = { base_url: server.url, api_key_env: "KEY" };
  const adapter = adapterFor({ type: "cohere", model, provider, env: { KEY: key } });
  return adapter.complete(request, { signal: new AbortController().signal });
}

async function answered(request: ProviderRequest) {
  const result = await ask(request);
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

function framesOf(answer: Parameters<typeof cohereEvents>[0]) {
  return sseFrames(cohereEvents(answer), (event) => String(event["type"]));
}

function serve(answer: Parameters<typeof cohereEvents>[0], headers: Readonly<Record<string, string>> = {}) {
  return startServer(({ body }, response) =>
    body.includes('"stream":true')
      ? sendStream(response, framesOf(answer), { headers })
      : sendJson(response, 200, cohereReply(answer), headers),
  );
}

/** The request that the SDK sent, and the one that the adapter sent. */
function bothRequests() {
  const [ofSdk, ofAdapter] = server.requests;
  if (ofSdk === undefined || ofAdapter === undefined) throw new Error("Two requests were expected");
  return { ofSdk, ofAdapter };
}

const messages: Cohere.ChatMessages = [
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
    // What a model says before its calls is the plan.
    toolPlan: "Let me look.",
    toolCalls: [
      { id: "call_1", type: "function", function: { name: "lookup_order", arguments: '{"order_id":"ORD-1"}' } },
      { id: "call_2", type: "function", function: { name: "lookup_order", arguments: '{"order_id":"ORD-2"}' } },
    ],
  },
  { role: "tool", toolCallId: "call_1", content: '{"status":"delivered"}' },
  { role: "tool", toolCallId: "call_2", content: '{"ok":false,"error":"no such order"}' },
  { role: "assistant", content: "ORD-1 was delivered." },
  { role: "user", content: "Cancel it." },
];
const lookupOrder = { name: "lookup_order", description: "Look an order up by its id", parameters };
const cancelOrder = { name: "cancel_order", parameters };

describe("a request", () => {
  it.each([false, true])("is the one that the SDK sends for the same conversation (streaming: %j)", async (stream) => {
    server = await serve(said);
    const request: Cohere.V2ChatRequest = {
      model,
      messages,
      tools: [
        { type: "function", function: lookupOrder },
        { type: "function", function: cancelOrder },
      ],
      toolChoice: "REQUIRED",
      temperature: 0,
      p: 0.9,
      maxTokens: 512,
      seed: 7,
      stopSequences: ["END"],
      frequencyPenalty: 0.5,
      presencePenalty: 0.25,
      thinking: { type: "enabled" },
      responseFormat: { type: "json_object", jsonSchema: parameters },
    };
    if (stream) await collect(await sdk().chatStream(request));
    else await sdk().chat(request);
    const params = {
      temperature: 0,
      top_p: 0.9,
      max_tokens: 512,
      seed: 7,
      stop: ["END"],
      frequency_penalty: 0.5,
      presence_penalty: 0.25,
      reasoning_effort: "high",
      tool_choice: "required" as const,
      response_format: { schema: parameters },
    };
    await answered(
      requestOf({ system: "You are terse.", messages: sampleHistory, tools: sampleTools, params, stream }),
    );
    const { ofSdk, ofAdapter } = bothRequests();
    // The SDK says `false` where it could say nothing: that is what the API takes it for.
    expect(ofAdapter.json).toEqual(stream ? ofSdk.json : withoutStream(ofSdk.json));
    expect(ofAdapter).toMatchObject({ method: ofSdk.method, path: ofSdk.path });
    for (const name of ["authorization", "content-type"]) expect(ofAdapter.headers[name]).toBe(ofSdk.headers[name]);
    expect(ofAdapter.headers["authorization"]).toBe(`Bearer ${key}`);
  });

  it("gives the plan and the calls back as the SDK does", async () => {
    server = await serve(called);
    const first = requestOf();
    const read = await answered(first);
    const { text, toolCalls, providerData } = read;
    await ask(requestOf({ messages: [...first.messages, { role: "assistant", text, toolCalls, providerData }] }));
    const question = { role: "user" as const, content: "Where is order ORD-1?" };
    const ofSdk = await sdk().chat({ model, messages: [question] });
    await sdk().chat({ model, messages: [question, ofSdk.message] });
    expect(server.requests[1]?.json).toEqual(withoutStream(server.requests[3]?.json));
    expect(server.requests[1]?.body).toContain('"tool_plan":"I will cancel them."');
  });
});

describe("a reply", () => {
  it.each([said, called])("is read as the SDK reads it: %j", async (answer) => {
    server = await serve(answer, { "x-debug-trace-id": "trace_1" });
    const ofSdk = await sdk().chat({ model, messages });
    const read = await answered(requestOf());
    const { content = [], toolCalls = [] } = ofSdk.message;
    expect(read).toMatchObject({
      text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      toolCalls: toolCalls.map((call) => ({
        id: call.id,
        tool: call.function?.name,
        args: JSON.parse(call.function?.arguments ?? "") as unknown,
      })),
      usage: {
        inputTokens: ofSdk.usage?.billedUnits?.inputTokens,
        outputTokens: ofSdk.usage?.billedUnits?.outputTokens,
      },
      finishReason: { unified: answer.toolCalls.length > 0 ? "tool_calls" : "stop", raw: ofSdk.finishReason },
      requestId: "trace_1",
    });
    const { latencyMs: _latency, ...whole } = read;
    const { latencyMs: _other, timeToFirstTokenMs, ...streamed } = await answered(requestOf({ stream: true }));
    expect(streamed).toEqual(whole);
    expect(typeof timeToFirstTokenMs).toBe("number");
  });

  it.each([said, called])("in pieces says what the SDK makes of it: %j", async (answer) => {
    server = await serve(answer);
    const { text, plan, calls, end } = await gather(await sdk().chatStream({ model, messages }));
    const read = await answered(requestOf({ stream: true }));
    expect(read.text).toBe(text);
    expect(read.toolCalls).toEqual(calls.map((call) => ({ ...call, args: JSON.parse(call.args) as unknown })));
    expect(read.toolCalls).toHaveLength(answer.toolCalls.length);
    expect(read.providerData).toEqual(plan === "" ? undefined : { cohere: { tool_plan: plan } });
    expect(read.finishReason.raw).toBe(end?.finishReason);
    expect(read.usage?.inputTokens).toBe(end?.usage?.billedUnits?.inputTokens);
  });

  it.each([
    [0, { retryable: true }],
    [1, { retryable: false, partialText: "" }],
    [3, { retryable: false, partialText: "ORD-1 was " }],
    [5, { retryable: false, partialText: "ORD-1 was delivered." }],
  ])("that is cut off after %i events is an error", async (cutAfter, details) => {
    server = await startServer((_request, response) => sendStream(response, framesOf(said), { cutAfter }));
    const result = await ask(requestOf({ stream: true }));
    expect(result).toMatchObject({ success: false, error: { code: "PROVIDER_NETWORK_ERROR", details } });
    expect(result.success || "partialText" in (result.error.details ?? {})).toBe(cutAfter > 0);
  });

  it("that the server gave up is an error, whole or in pieces", async () => {
    const failed = { type: "message-end", delta: { finish_reason: "ERROR", error: "internal" } };
    const frames = [...framesOf(said).slice(0, 3), ...sseFrames([failed])];
    server = await startServer(({ body }, response) =>
      body.includes('"stream":true')
        ? sendStream(response, frames)
        : sendJson(response, 200, { ...cohereReply(said), finish_reason: "ERROR" }),
    );
    const details = { status: 500 };
    expect(await ask(requestOf())).toMatchObject({ error: { code: "PROVIDER_API_ERROR", details } });
    expect(await ask(requestOf({ stream: true }))).toMatchObject({
      error: { code: "PROVIDER_API_ERROR", details: { ...details, partialText: "ORD-1 was ", retryable: false } },
    });
  });
});

it.each([false, true])("the fake understands the adapter, and the adapter the fake (streaming: %j)", async (stream) => {
  server = await startServer((_request, response) => {
    const reply = cohereFake.reply(called, stream);
    response.writeHead(200, reply.headers);
    response.end(reply.body);
  });
  const { type, config, env } = cohereFake;
  const { type: _type, ...provider } = config(server.url);
  const asked = requestOf({ system: "You are terse.", messages: sampleHistory, tools: sampleTools, stream });
  const result = await adapterFor({ type, provider, env }).complete(asked, { signal: new AbortController().signal });
  const data = result.success ? result.data : null;
  expect(data?.text).toBe("");
  expect(data?.toolCalls.map(({ tool, args }) => ({ tool, args }))).toEqual(called.toolCalls);
  const [request] = server.requests;
  const received = { url: request?.path ?? "", headers: request?.headers ?? {}, body: request?.body ?? "" };
  expect(cohereFake.isStream(received)).toBe(stream);
  expect(cohereFake.read(received)).toEqual({
    system: "You are terse.",
    userTexts: ["Where are these orders?", "Cancel it."],
    toolResults: [
      { tool: "lookup_order", content: '{"status":"delivered"}' },
      { tool: "lookup_order", content: '{"ok":false,"error":"no such order"}' },
    ],
    tools: ["lookup_order", "cancel_order"],
  });
});

describe("an error", () => {
  const trial = (limit: string) =>
    `You are using a Trial key, which is limited to ${limit}. You can continue to use the Trial key for free or upgrade to a Production key.`;

  it.each([
    ["a wrong key", "PROVIDER_AUTH_ERROR", 401, "invalid api token", false, {}],
    ["an unpaid bill", "PROVIDER_API_ERROR", 402, "Please add a payment method.", false, { quota: true }],
    ["no such model", "PROVIDER_API_ERROR", 404, "model 'x' not found", undefined, {}],
    ["too many tokens", "PROVIDER_API_ERROR", 400, "too many tokens", undefined, {}],
    ["too much", "PROVIDER_RATE_LIMIT", 429, trial("20 API calls / minute"), true, {}],
    ["too much this month", "PROVIDER_API_ERROR", 429, trial("1000 API calls / month"), false, { quota: true }],
    ["a forbidden word", "PROVIDER_API_ERROR", 498, "invalid token", undefined, {}],
    ["a failure", "PROVIDER_API_ERROR", 500, "internal server error", undefined, {}],
    ["overload", "PROVIDER_API_ERROR", 503, "service unavailable", true, {}],
    ["slowness", "PROVIDER_API_ERROR", 504, "timeout", true, {}],
  ])("for %s is %s", async (_name, code, status, message, retryable, expected) => {
    server = await startServer((_request, response) =>
      sendJson(response, status, { id: "e", message }, { "x-debug-trace-id": "trace_9" }),
    );
    const ofSdk: unknown = await sdk()
      .chat({ model, messages }, { maxRetries: 0 })
      .catch((cause: unknown) => cause);
    expect(ofSdk).toBeInstanceOf(CohereError);
    expect(ofSdk).toMatchObject({ statusCode: status });
    const results = [await ask(requestOf()), await ask(requestOf({ stream: true }))];
    for (const result of results) {
      const details = { status, requestId: "trace_9", ...expected };
      expect(result).toMatchObject({ success: false, error: { code, details } });
      const found = result.success ? {} : (result.error.details as { retryable?: boolean; retryAfterMs?: number });
      expect(found).not.toHaveProperty("retryAfterMs");
      expect(found.retryable).toBe(retryable);
    }
  });
});

/** What the events of the SDK say, taken together. */
async function gather(stream: AsyncIterable<Cohere.V2ChatStreamResponse>) {
  const calls: { id: string | undefined; tool: string | undefined; args: string }[] = [];
  const gathered = { text: "", plan: "", calls, end: undefined as Cohere.ChatMessageEndEventDelta | undefined };
  for await (const event of stream) {
    switch (event.type) {
      case "content-delta":
        gathered.text += event.delta?.message?.content?.text ?? "";
        break;
      case "tool-plan-delta":
        gathered.plan += event.delta?.message?.toolPlan ?? "";
        break;
      case "tool-call-start":
        calls.push(startOf(event.delta?.message?.toolCalls));
        break;
      case "tool-call-delta": {
        const last = calls.at(-1);
        if (last !== undefined) last.args += event.delta?.message?.toolCalls?.function?.arguments ?? "";
        break;
      }
      case "message-end":
        gathered.end = event.delta;
        break;
      default:
        break;
    }
  }
  return gathered;
}

function startOf(call: Cohere.ToolCallV2 | undefined) {
  return { id: call?.id, tool: call?.function?.name, args: "" };
}

function withoutStream(json: unknown): unknown {
  const { stream: _stream, ...rest } = json as Record<string, unknown>;
  return rest;
}
