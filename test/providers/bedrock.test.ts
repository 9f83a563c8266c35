import {
  BedrockRuntimeClient,
  BedrockRuntimeServiceException,
  ConverseCommand,
  ConverseStreamCommand,
  type ContentBlock,
  type ConverseCommandInput,
  type ConverseStreamOutput,
  type Message as SdkMessage,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ProviderRequest } from "../../packages/core/src/providers/provider.js";
import type { Message } from "../../packages/core/src/transcript/message.js";
import {
  bedrockEvents,
  bedrockFake,
  bedrockReply,
  eventFrame,
  exceptionFrame,
} from "../support/fake-models/bedrock.js";
import {
  sendJson,
  startServer,
  type Handler,
  type LoopbackServer,
  type ReceivedRequest,
} from "../support/start-server.js";
import { partsOf, signatureExpected } from "../support/verify-aws-signature.js";
import { findProvider } from "../../packages/core/src/providers/registry.js";
import { adapterFor, requestOf, transport } from "./adapter-under-test.js";

const apiKey = "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3M=";
const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "IQoJb3JpZ2luX2VjEXAMPLE/canary+token==",
};
const keyVariables = {
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_SESSION_TOKEN: credentials.sessionToken,
};
const profile = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const arn = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2c3";
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const schema = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };
const tools = [
  { name: "lookup_order", description: "Look an order up by its id", parameters: schema },
  { name: "cancel_order", parameters: schema },
];
const answer = {
  text: "I will cancel it.",
  toolCalls: [
    { tool: "cancel_order", args: { order_id: "ORD-1", reason: "grüße €" } },
    { tool: "lookup_order", args: { order_id: "ORD-2" } },
  ],
};

let server: LoopbackServer | null = null;
let client: BedrockRuntimeClient | null = null;

afterEach(async () => {
  client?.destroy();
  client = null;
  await server?.close();
  server = null;
});
afterAll(() => transport.close());

async function serve(handler: Handler): Promise<LoopbackServer> {
  return (server = await startServer(handler));
}

/** The SDK speaks HTTP/2 by itself, which a plain server does not. */
function sdk(url: string, mode: "key" | "signed" = "key"): BedrockRuntimeClient {
  const auth =
    mode === "key" ? { token: { token: apiKey }, authSchemePreference: ["httpBearerAuth"] } : { credentials };
  const requestHandler = new NodeHttpHandler();
  return (client = new BedrockRuntimeClient({
    endpoint: url,
    region: "eu-west-1",
    maxAttempts: 1,
    requestHandler,
    ...auth,
  }));
}

interface Setup {
  model?: string;
  env?: Readonly<Record<string, string>>;
  provider?: Readonly<Record<string, unknown>>;
}

function ask(url: string, request: ProviderRequest, { model = profile, env, provider = {} }: Setup = {}) {
  const adapter = adapterFor({
    type: "bedrock",
    model,
    provider: { base_url: url, region: "eu-west-1", ...provider },
    env: env ?? { AWS_BEARER_TOKEN_BEDROCK: apiKey },
  });
  return adapter.complete(request, { signal: new AbortController().signal });
}

function bothRequests({ requests }: LoopbackServer): { ofSdk: ReceivedRequest; ofAdapter: ReceivedRequest } {
  const [ofSdk, ofAdapter] = requests;
  if (ofSdk === undefined || ofAdapter === undefined) throw new Error("Two requests were expected");
  return { ofSdk, ofAdapter };
}

function writeEvents(response: ServerResponse, frames: readonly Buffer[]): void {
  response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream", "x-amzn-requestid": "req_s" });
  for (const frame of frames) response.write(frame);
}

async function collect({ stream = [] }: { stream?: AsyncIterable<ConverseStreamOutput> | readonly never[] }) {
  const events: ConverseStreamOutput[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

const simple = {
  modelId: profile,
  messages: [{ role: "user", content: [{ text: "Hi" }] }],
} satisfies ConverseCommandInput;

/** With an image, two parallel calls, a failed one, and a further message of the user right behind the results. */
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
      { id: "call_2", tool: "lookup_order", args: undefined, malformed: { raw: "{oops", reason: "bad" } },
    ],
  },
  { role: "tool", callId: "call_1", tool: "lookup_order", content: '{"status":"delivered"}', isError: false },
  {
    role: "tool",
    callId: "call_2",
    tool: "lookup_order",
    content: '{"ok":false,"error":"no such order"}',
    isError: true,
  },
  { role: "user", content: "Never mind the second." },
  { role: "assistant", text: "ORD-1 was delivered.", toolCalls: [] },
  { role: "user", content: "Cancel it." },
];

/** The API wants the roles to take turns, so that the results and the message behind them are one message. */
const sdkHistory: SdkMessage[] = [
  {
    role: "user",
    content: [
      { text: "Where are these orders?" },
      { image: { format: "png", source: { bytes: Buffer.from(pixel, "base64") } } },
    ],
  },
  {
    role: "assistant",
    content: [
      { text: "Let me look." },
      { toolUse: { toolUseId: "call_1", name: "lookup_order", input: { order_id: "ORD-1" } } },
      // The API takes objects only.
      { toolUse: { toolUseId: "call_2", name: "lookup_order", input: {} } },
    ],
  },
  {
    role: "user",
    content: [
      { toolResult: { toolUseId: "call_1", content: [{ text: '{"status":"delivered"}' }] } },
      {
        toolResult: {
          toolUseId: "call_2",
          content: [{ text: '{"ok":false,"error":"no such order"}' }],
          status: "error",
        },
      },
      { text: "Never mind the second." },
    ],
  },
  { role: "assistant", content: [{ text: "ORD-1 was delivered." }] },
  { role: "user", content: [{ text: "Cancel it." }] },
];

const sdkInput: ConverseCommandInput = {
  modelId: profile,
  system: [{ text: "You are terse." }],
  messages: sdkHistory,
  inferenceConfig: { maxTokens: 512, temperature: 0, topP: 0.9, stopSequences: ["END"] },
  toolConfig: {
    tools: [
      { toolSpec: { name: "lookup_order", description: "Look an order up by its id", inputSchema: { json: schema } } },
      { toolSpec: { name: "cancel_order", inputSchema: { json: schema } } },
    ],
    toolChoice: { tool: { name: "cancel_order" } },
  },
  outputConfig: {
    textFormat: { type: "json_schema", structure: { jsonSchema: { name: "verdict", schema: JSON.stringify(schema) } } },
    effort: "low",
  },
  additionalModelRequestFields: { top_k: 5 },
};

const request = requestOf({
  system: "You are terse.",
  messages: history,
  tools,
  params: {
    max_tokens: 512,
    temperature: 0,
    top_p: 0.9,
    stop: ["END"],
    // The API has no counterpart of these four.
    seed: 7,
    frequency_penalty: 0.5,
    presence_penalty: -0.5,
    parallel_tool_calls: false,
    reasoning_effort: "low",
    tool_choice: { tool: "cancel_order" },
    response_format: { name: "verdict", schema },
    extra_body: { additionalModelRequestFields: { top_k: 5 } },
  },
});

describe("the request", () => {
  it.each([profile, arn, "amazon.nova-lite-v1:0", "odd (id)*!'"])("is what the SDK sends to %s", async (model) => {
    const { url, ...loopback } = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
    await sdk(url).send(new ConverseCommand({ ...sdkInput, modelId: model }));
    await ask(url, request, { model });
    const { ofSdk, ofAdapter } = bothRequests({ url, ...loopback });
    expect(ofAdapter.json).toEqual(ofSdk.json);
    expect(ofAdapter).toMatchObject({ method: ofSdk.method, path: ofSdk.path });
    for (const name of ["authorization", "content-type"]) expect(ofAdapter.headers[name]).toBe(ofSdk.headers[name]);
    expect(ofAdapter.headers.authorization).toBe(`Bearer ${apiKey}`);
  });

  it("is what the SDK sends for a stream", async () => {
    const frames = bedrockEvents(answer).map(eventFrame);
    const loopback = await serve((_request, response) => {
      writeEvents(response, frames);
      response.end();
    });
    await collect(await sdk(loopback.url).send(new ConverseStreamCommand(sdkInput)));
    await ask(loopback.url, { ...request, stream: true });
    const { ofSdk, ofAdapter } = bothRequests(loopback);
    expect(ofAdapter.json).toEqual(ofSdk.json);
    expect(ofAdapter).toMatchObject({ method: ofSdk.method, path: ofSdk.path });
    expect(ofAdapter.path).toBe("/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
    // The SDK says nothing of what it takes; without a word the adapter would say that it takes JSON.
    expect(ofSdk.headers.accept).toBe(undefined);
    expect(ofAdapter.headers.accept).toBe("application/vnd.amazon.eventstream");
  });

  it.each([profile, arn, "odd (id)*!'"])("is signed as the SDK signs it for %s", async (model) => {
    const loopback = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
    await sdk(loopback.url, "signed").send(new ConverseCommand({ ...sdkInput, modelId: model }));
    const result = await ask(loopback.url, request, { model, env: keyVariables });
    expect(result.success).toBe(true);
    const { ofSdk, ofAdapter } = bothRequests(loopback);
    expect(ofAdapter.json).toEqual(ofSdk.json);
    for (const received of [ofSdk, ofAdapter]) {
      const { credential, signature } = partsOf(received);
      expect(signature).toBe(signatureExpected(received, credentials.secretAccessKey));
      expect(credential).toMatch(/^AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request$/);
      expect(received.headers["x-amz-security-token"]).toBe(credentials.sessionToken);
    }
    expect(ofAdapter.path).toBe(ofSdk.path);
    // The rest of what the SDK signs tells AWS about the SDK itself.
    expect(partsOf(ofAdapter).signedHeaders).toBe(
      "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token",
    );
  });

  it("is signed with further headers, behind a path, and for streams", async () => {
    const loopback = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
    const provider = { base_url: `${loopback.url}/gateway/bedrock`, headers: { "X-Team": "  qa   team " } };
    await ask(loopback.url, { ...request, stream: true }, { env: keyVariables, provider });
    const [received] = loopback.requests;
    if (received === undefined) throw new Error("A request was expected");
    expect(received.path).toMatch(/^\/gateway\/bedrock\/model\/us\.anthropic\..*%3A0\/converse-stream$/);
    expect(partsOf(received).signedHeaders).toContain("x-team");
    const collapsed = { ...received, headers: { ...received.headers, "x-team": "qa team" } };
    expect(partsOf(received).signature).toBe(signatureExpected(collapsed, credentials.secretAccessKey));
  });

  it.each(["eu-west-1", "us-gov-west-1", "cn-north-1", "eusc-de-east-1"])(
    "goes where the SDK sends it in %s",
    (region) => {
      const { endpointProvider } = sdk("http://127.0.0.1").config;
      const settings = { id: "m", providerName: "bedrock", model: "m", provider: { region }, own: {}, documents: {} };
      const { href } = endpointProvider({ Region: region, UseFIPS: false, UseDualStack: false }).url;
      expect(`${findProvider("bedrock")?.inspect(settings, {})?.baseUrl}/`).toBe(href);
    },
  );

  it("is not made for what can not be sent", async () => {
    const { url, requests } = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
    const image = { type: "image", source: { kind: "url", url: "https://example.com/label.png" } } as const;
    const refused = await ask(url, requestOf({ messages: [{ role: "user", content: [image] }] }));
    expect(refused).toMatchObject({
      error: {
        code: "PROVIDER_API_ERROR",
        message: expect.stringContaining("it takes images as data, not as an address") as string,
        details: { provider: "Bedrock", model: profile, retryable: false },
      },
    });
    expect(requests).toHaveLength(0);
  });
});

describe("the reply", () => {
  const headers = { "x-amzn-requestid": "req_1" };

  it("is read as the SDK reads it", async () => {
    const body = bedrockReply(answer);
    const { url } = await serve((_request, response) => sendJson(response, 200, body, headers));
    const ofSdk = await sdk(url).send(new ConverseCommand(simple));
    const result = await ask(url, requestOf());
    const read = result.success ? result.data : null;
    const content = ofSdk.output?.message?.content ?? [];
    expect(read?.text).toBe(content.map(({ text = "" }) => text).join(""));
    expect(read?.toolCalls).toEqual(callsOf(content));
    expect(read?.finishReason).toEqual({ unified: "tool_calls", raw: ofSdk.stopReason });
    expect(read?.requestId).toBe(ofSdk.$metadata.requestId);
    expect(read?.modelServed).toBe(null);
    const { inputTokens = 0, outputTokens, cacheReadInputTokens = 0, cacheWriteInputTokens = 0 } = ofSdk.usage ?? {};
    expect(read?.usage).toEqual({
      inputTokens: inputTokens + cacheReadInputTokens + cacheWriteInputTokens,
      outputTokens,
      cachedInputTokens: cacheReadInputTokens,
    });
  });

  it.each([false, true])("goes back as the SDK sends it back, streamed: %s", async (stream) => {
    const frames = bedrockEvents(answer).map(eventFrame);
    const loopback = await serve(({ path }, response) => {
      if (!path.endsWith("-stream")) return sendJson(response, 200, bedrockReply(answer));
      writeEvents(response, frames);
      response.end();
    });
    const result = await ask(loopback.url, requestOf({ stream }));
    if (!result.success) throw new Error(result.error.message);
    const { text, toolCalls, providerData } = result.data;
    const asked: Message = { role: "user", content: "Hi" };
    const said: Message = { role: "assistant", text, toolCalls, providerData };
    await ask(loopback.url, requestOf({ messages: [asked, said, asked] }));
    const reasoningText = { text: "They want to know where the order is.", signature: "EqoBCkgIARABGAIiQL" };
    const calls = toolCalls.map(({ id, tool, args }) => ({ toolUse: { toolUseId: id, name: tool, input: args } }));
    const messages: SdkMessage[] = [
      { role: "user", content: [{ text: "Hi" }] },
      { role: "assistant", content: [{ reasoningContent: { reasoningText } }, { text }, ...(calls as ContentBlock[])] },
      { role: "user", content: [{ text: "Hi" }] },
    ];
    await sdk(loopback.url).send(new ConverseCommand({ modelId: profile, messages }));
    const [, ofAdapter, ofSdk] = loopback.requests;
    expect(ofAdapter?.json).toEqual(ofSdk?.json);
  });
});

function callsOf(content: readonly ContentBlock[]): readonly unknown[] {
  return content.flatMap(({ toolUse }) =>
    toolUse === undefined ? [] : [{ id: toolUse.toolUseId, tool: toolUse.name, args: toolUse.input }],
  );
}

describe("a stream", () => {
  const events = bedrockEvents(answer);
  const frames = events.map(eventFrame);
  const firstText = events.findIndex(([, data]) => JSON.stringify(data).includes('"delta":{"text"'));
  const half = answer.text.slice(0, Math.ceil(answer.text.length / 2));

  it("gives what the SDK reads of it", async () => {
    const { url } = await serve((_request, response) => {
      writeEvents(response, frames);
      response.end();
    });
    const ofSdk = await collect(await sdk(url).send(new ConverseStreamCommand(simple)));
    const result = await ask(url, requestOf({ stream: true }));
    const read = result.success ? result.data : null;
    const deltas = ofSdk.flatMap(({ contentBlockDelta }) => contentBlockDelta ?? []);
    expect(read?.text).toBe(deltas.map(({ delta }) => delta?.text ?? "").join(""));
    const starts = ofSdk.flatMap(({ contentBlockStart }) => contentBlockStart ?? []);
    const calls = starts.map(({ start, contentBlockIndex }) => {
      const pieces = deltas.filter((delta) => delta.contentBlockIndex === contentBlockIndex);
      const input = pieces.map(({ delta }) => delta?.toolUse?.input ?? "").join("");
      return { id: start?.toolUse?.toolUseId, tool: start?.toolUse?.name, args: JSON.parse(input) as unknown };
    });
    expect(calls).toHaveLength(2);
    expect(read?.toolCalls).toEqual(calls);
    expect(read?.finishReason.raw).toBe(ofSdk.flatMap(({ messageStop }) => messageStop?.stopReason ?? [])[0]);
    const usage = ofSdk.flatMap(({ metadata }) => metadata?.usage ?? [])[0];
    expect(read?.usage).toMatchObject({
      outputTokens: usage?.outputTokens,
      cachedInputTokens: usage?.cacheReadInputTokens,
    });
    expect(read).toMatchObject({ requestId: "req_s", timeToFirstTokenMs: expect.any(Number) as number });
  });

  it("gives what the same reply gives without streaming", async () => {
    const plain = bedrockReply({ ...answer, toolCalls: [] });
    const { url } = await serve(({ path }, response) => {
      if (!path.endsWith("-stream")) return sendJson(response, 200, plain, { "x-amzn-requestid": "req_s" });
      writeEvents(response, bedrockEvents({ ...answer, toolCalls: [] }).map(eventFrame));
      response.end();
    });
    const whole = await ask(url, requestOf());
    const streamed = await ask(url, requestOf({ stream: true }));
    expect(streamed).toEqual({
      success: true,
      data: {
        ...(whole.success ? whole.data : {}),
        latencyMs: expect.any(Number),
        timeToFirstTokenMs: expect.any(Number),
      },
    });
  });

  it("that is no stream is read as the reply it is", async () => {
    const { url } = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
    expect(await ask(url, requestOf({ stream: true }))).toMatchObject({ success: true, data: { text: answer.text } });
  });

  it.each([
    ["before its first event", 0, { retryable: true }],
    ["after its first event", 1, { retryable: false, partialText: "" }],
    ["inside of the text", firstText + 1, { retryable: false, partialText: half }],
    ["right before its end", frames.length - 2, { retryable: false, partialText: answer.text }],
  ])("that is cut %s is a network error", async (_name, count, details) => {
    const partial = [...frames.slice(0, count), (frames[count] ?? Buffer.alloc(0)).subarray(0, 20)];
    const { url } = await serve((_request, response) => {
      writeEvents(response, partial);
      response.write("", () => setImmediate(() => response.destroy()));
    });
    const result = await ask(url, requestOf({ stream: true }));
    expect(result).toMatchObject({ error: { code: "PROVIDER_NETWORK_ERROR", details } });
    expect(!result.success && "partialText" in (result.error.details ?? {})).toBe("partialText" in details);
  });

  it("that ends properly, but too early, is a network error too", async () => {
    const { url } = await serve((_request, response) => {
      writeEvents(response, frames.slice(0, firstText + 1));
      response.end();
    });
    expect(await ask(url, requestOf({ stream: true }))).toMatchObject({
      error: { code: "PROVIDER_NETWORK_ERROR", details: { retryable: false, partialText: half } },
    });
  });

  it("that is damaged can not be used, as the SDK can not use it", async () => {
    const damaged = frames.map((frame) => Buffer.from(frame));
    damaged[firstText]?.writeUInt8(0, damaged[firstText].length - 6);
    const { url } = await serve((_request, response) => {
      writeEvents(response, damaged);
      response.end();
    });
    await expect(sdk(url).send(new ConverseStreamCommand(simple)).then(collect)).rejects.toThrow(/checksum/i);
    expect(await ask(url, requestOf({ stream: true }))).toMatchObject({
      error: {
        code: "PROVIDER_API_ERROR",
        message: "Bedrock returned 200 with a stream that was damaged on its way",
        details: { retryable: false },
      },
    });
  });

  it.each([
    ["throttlingException", "PROVIDER_RATE_LIMIT", 429, true],
    ["modelStreamErrorException", "PROVIDER_API_ERROR", 424, true],
    ["serviceUnavailableException", "PROVIDER_API_ERROR", 503, true],
    ["internalServerException", "PROVIDER_API_ERROR", 500, undefined],
    ["validationException", "PROVIDER_API_ERROR", 400, undefined],
  ])("with %s is %s", async (name, code, status, retryable) => {
    const failing = exceptionFrame(name, "Sorry.");
    for (const count of [0, firstText + 1]) {
      const { url } = await serve((_request, response) => {
        writeEvents(response, [...frames.slice(0, count), failing]);
        response.end();
      });
      const ofSdk = await sdk(url)
        .send(new ConverseStreamCommand(simple))
        .then(collect)
        .catch((cause: unknown) => cause);
      expect(ofSdk).toMatchObject({ name: name.charAt(0).toUpperCase() + name.slice(1), message: "Sorry." });
      const result = await ask(url, requestOf({ stream: true }));
      expect(result).toMatchObject({ error: { code, details: { status, requestId: "req_s" } } });
      const details = (result.success ? {} : result.error.details) as { retryable?: boolean; partialText?: string };
      expect(details.retryable).toBe(count === 0 ? retryable : false);
      expect(details.partialText).toBe(count === 0 ? undefined : half);
      client?.destroy();
      await server?.close();
    }
  });
});

describe("an error", () => {
  const day = "Too many tokens per day, please wait before trying again.";

  it.each([
    ["ValidationException", 400, "The provided model identifier is invalid.", "PROVIDER_API_ERROR", undefined],
    ["ServiceQuotaExceededException", 400, "Your request exceeds the service quota.", "PROVIDER_API_ERROR", false],
    ["AccessDeniedException", 403, "You don't have access to the model.", "PROVIDER_AUTH_ERROR", false],
    ["UnrecognizedClientException", 403, "The security token is invalid.", "PROVIDER_AUTH_ERROR", false],
    ["ExpiredTokenException", 403, "The security token is expired", "PROVIDER_AUTH_ERROR", false],
    ["ResourceNotFoundException", 404, "Could not resolve the model.", "PROVIDER_API_ERROR", undefined],
    ["ModelTimeoutException", 408, "Model processing timeout.", "PROVIDER_TIMEOUT", true],
    ["ModelErrorException", 424, "The model failed.", "PROVIDER_API_ERROR", undefined],
    ["ThrottlingException", 429, "Too many requests, please wait.", "PROVIDER_RATE_LIMIT", true],
    ["ThrottlingException", 429, day, "PROVIDER_API_ERROR", false],
    ["ModelNotReadyException", 429, "Model is not ready.", "PROVIDER_API_ERROR", true],
    ["InternalServerException", 500, "The system failed.", "PROVIDER_API_ERROR", undefined],
    ["ServiceUnavailableException", 503, "Too many connections.", "PROVIDER_API_ERROR", true],
  ])("%s (%i: %s) is %s", async (name, status, message, code, retryable) => {
    const headers = {
      "x-amzn-requestid": "req_e",
      "x-amzn-errortype": `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
    };
    const { url } = await serve((_request, response) => sendJson(response, status, { message }, headers));
    const ofSdk: unknown = await sdk(url)
      .send(new ConverseCommand(simple))
      .catch((cause: unknown) => cause);
    expect(ofSdk).toBeInstanceOf(BedrockRuntimeServiceException);
    expect(ofSdk).toMatchObject({ name, message, $metadata: { httpStatusCode: status, requestId: "req_e" } });
    for (const stream of [false, true]) {
      const result = await ask(url, requestOf({ stream }));
      const error = result.success ? null : result.error;
      expect(error).toMatchObject({
        code,
        details: { provider: "Bedrock", model: profile, status, requestId: "req_e" },
      });
      const details = (error?.details ?? {}) as { retryable?: boolean; quota?: boolean };
      expect(details.retryable).toBe(retryable);
      expect(details.quota).toBe(retryable === false && code === "PROVIDER_API_ERROR" ? true : undefined);
      // A rate limit has a sentence of its own.
      if (code !== "PROVIDER_RATE_LIMIT") expect(error?.message).toContain(message);
    }
  });

  it("names the region's setting and the key's variable when they are missing", async () => {
    expect(() => adapterFor({ type: "bedrock", env: { AWS_BEARER_TOKEN_BEDROCK: apiKey } })).toThrow(
      "Bedrock has no region. Set region in the provider's settings, or the environment variable AWS_REGION.",
    );
    const provider = { region: "eu-west-1", api_key_env: "MY_KEY" };
    const adapter = adapterFor({ type: "bedrock", provider, env: keyVariables });
    expect(await adapter.complete(requestOf(), { signal: new AbortController().signal })).toMatchObject({
      error: {
        code: "PROVIDER_AUTH_ERROR",
        message: expect.stringContaining("Set MY_KEY environment variable") as string,
      },
    });
  });

  it.each([false, true])("never shows a credential, streamed: %s", async (stream) => {
    const { url } = await serve((received, response) => {
      // As AWS explains a signature that is not right, and more than it would tell.
      const message = `The Canonical String should have been ${JSON.stringify(received.headers)}`;
      sendJson(response, 403, { message }, { "x-amzn-errortype": "InvalidSignatureException" });
    });
    for (const env of [keyVariables, { AWS_BEARER_TOKEN_BEDROCK: apiKey }]) {
      const result = await ask(url, requestOf({ stream }), { env });
      const shown = JSON.stringify(result);
      expect(result).toMatchObject({ error: { code: "PROVIDER_AUTH_ERROR", details: { status: 403 } } });
      const [received] = server?.requests.slice(-1) ?? [];
      if (received === undefined) throw new Error("A request was expected");
      const { signature } = partsOf(received);
      const secrets = [apiKey, ...Object.values(credentials), signature].filter((secret) => secret !== "");
      for (const secret of secrets) expect(shown).not.toContain(secret);
      expect(shown).toContain("[redacted]");
    }
  });
});

it("is understood by the stand-in for its models", async () => {
  const { url, requests } = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
  await ask(url, request);
  const [received] = requests;
  if (received === undefined) throw new Error("A request was expected");
  const read = { url: received.path, headers: received.headers, body: received.body };
  expect(bedrockFake.isStream(read)).toBe(false);
  expect(bedrockFake.read(read)).toEqual({
    system: "You are terse.",
    userTexts: ["Where are these orders?", "Never mind the second.", "Cancel it."],
    toolResults: [
      { tool: "lookup_order", content: '{"status":"delivered"}' },
      { tool: "lookup_order", content: '{"ok":false,"error":"no such order"}' },
    ],
    tools: ["lookup_order", "cancel_order"],
  });
});
