import OpenAI, { AzureOpenAI } from "openai";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { Message } from "../../packages/core/src/transcript/message.js";
import { azureCompletion, azureFake, azureStream } from "../support/fake-models/azure.js";
import { namedEvents, responseBody, responseEvents } from "../support/responses-replies.js";
import { sendJson, startServer, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor, requestOf, transport } from "./adapter-under-test.js";

const key = "azure-test-key";
const parameters = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };
const tools = [{ name: "cancel_order", description: "Cancel an order", parameters }];
const history: readonly Message[] = [
  {
    role: "user",
    content: [
      { type: "text", text: "Cancel this" },
      { type: "image", source: { kind: "url", url: "https://example.com/label.png" } },
    ],
  },
  { role: "assistant", text: "", toolCalls: [{ id: "call_1", tool: "cancel_order", args: { order_id: "ORD-1" } }] },
  { role: "tool", callId: "call_1", tool: "cancel_order", content: "done", isError: false },
  { role: "user", content: "Thanks" },
];
const params = { temperature: 0, max_tokens: 512, seed: 7, tool_choice: "auto" } as const;
const chatRequest: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: "my gpt",
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "Cancel this" },
        { type: "image_url", image_url: { url: "https://example.com/label.png" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "cancel_order", arguments: '{"order_id":"ORD-1"}' } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: "done" },
    { role: "user", content: "Thanks" },
  ],
  tools: [{ type: "function", function: { name: "cancel_order", description: "Cancel an order", parameters } }],
  temperature: 0,
  max_completion_tokens: 512,
  // oxlint-disable-next-line typescript/no-deprecated -- it still works, and tests want repeatable answers
  seed: 7,
  tool_choice: "auto",
};
const answer = { text: "I will.", toolCalls: [{ id: "call_3", tool: "cancel_order", args: { order_id: "ORD-1" } }] };

let server: LoopbackServer;

afterEach(() => server.close());
afterAll(() => transport.close());

interface Asking {
  provider?: Readonly<Record<string, unknown>>;
  env?: Readonly<Record<string, string>>;
  stream?: boolean;
}

function ask({ provider = {}, env = { AZURE_OPENAI_API_KEY: key }, stream = false }: Asking = {}) {
  const settings = { base_url: server.url, deployment: "my gpt", ...provider };
  const adapter = adapterFor({ type: "azure", model: "gpt-5-mini", provider: settings, env });
  const request = requestOf({ messages: history, tools, params, stream });
  return adapter.complete(request, { signal: new AbortController().signal });
}

const classic = (options = {}): AzureOpenAI =>
  new AzureOpenAI({ endpoint: server.url, apiKey: key, apiVersion: "2024-10-21", maxRetries: 0, ...options });
const v1 = (): OpenAI => new OpenAI({ baseURL: `${server.url}/openai/v1/`, apiKey: key, maxRetries: 0 });

describe("a request", () => {
  it("to the classic API is the one that the SDK for Azure sends", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, azureCompletion(answer)));
    await classic().chat.completions.create(chatRequest);
    await ask({ provider: { api_version: "2024-10-21" } });
    const [ofSdk, ofAdapter] = server.requests;
    expect(ofAdapter?.json).toEqual(ofSdk?.json);
    expect(ofAdapter?.headers["api-key"]).toBe(ofSdk?.headers["api-key"]);
    expect(ofAdapter?.headers).not.toHaveProperty("authorization");
    expect(ofAdapter?.path).toBe("/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21");
    // Both are the same address; the SDK leaves the space to be escaped by fetch.
    expect(ofAdapter?.path).toBe(ofSdk?.path);
  });

  it("with a token of Entra ID carries it as the SDK does", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, azureCompletion(answer)));
    const azureADTokenProvider = (): Promise<string> => Promise.resolve("entra-token");
    await classic({ apiKey: undefined, azureADTokenProvider }).chat.completions.create(chatRequest);
    await ask({ provider: { api_version: "2024-10-21" }, env: { AZURE_OPENAI_AD_TOKEN: "entra-token" } });
    const [ofSdk, ofAdapter] = server.requests;
    expect(ofSdk?.headers["authorization"]).toBe("Bearer entra-token");
    expect(ofAdapter?.headers["authorization"]).toBe("Bearer entra-token");
    expect(ofAdapter?.headers).not.toHaveProperty("api-key");
  });

  it("to the v1 API is the one that OpenAI's SDK sends there", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, azureCompletion(answer)));
    await v1().chat.completions.create(chatRequest);
    await ask();
    const [ofSdk, ofAdapter] = server.requests;
    expect(ofAdapter?.json).toEqual(ofSdk?.json);
    expect(ofAdapter).toMatchObject({ path: "/openai/v1/chat/completions", headers: { "api-key": key } });
    // Azure takes a key either way; api-key is what its reference shows, and what the classic API takes alone.
    expect(ofSdk).toMatchObject({ path: ofAdapter?.path, headers: { authorization: `Bearer ${key}` } });
  });

  it.each([
    ["2025-04-01-preview", "/openai/responses?api-version=2025-04-01-preview"],
    [undefined, "/openai/v1/responses"],
  ])("to the Responses API of version %j has the SDK's path", async (version, path) => {
    server = await startServer((_request, response) => sendJson(response, 200, responseBody(answer)));
    const client = version === undefined ? v1() : classic({ apiVersion: version });
    await client.responses.create({ model: "my gpt", input: "Hi", store: false });
    const result = await ask({
      provider: { api: "responses", ...(version === undefined ? {} : { api_version: version }) },
    });
    expect(result).toMatchObject({ success: true, data: { text: "I will." } });
    expect(server.requests.map((request) => request.path)).toEqual([path, path]);
    expect(server.requests[1]?.json).toMatchObject({ model: "my gpt", store: false });
  });
});

describe("an answer", () => {
  it("with the results of the filter is read as the SDK reads it, streamed and not", async () => {
    server = await startServer((request, response) => {
      const isStream = (request.json as { stream?: boolean }).stream === true;
      const { headers, body } = isStream
        ? { headers: { "content-type": "text/event-stream" }, body: azureStream(azureCompletion(answer)) }
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(azureCompletion(answer)) };
      response.writeHead(200, { ...headers, "apim-request-id": "req_1" });
      response.end(body);
    });
    const ofSdk = await v1().chat.completions.create(chatRequest);
    const chunks = [];
    for await (const chunk of await v1().chat.completions.create({ ...chatRequest, stream: true })) chunks.push(chunk);
    const said = chunks.map(({ choices }) => choices[0]?.delta?.content ?? "").join("");
    expect(said).toBe(ofSdk.choices[0]?.message.content);
    for (const stream of [false, true]) {
      const result = await ask({ stream });
      expect(result).toMatchObject({
        success: true,
        data: {
          text: said,
          toolCalls: answer.toolCalls,
          finishReason: { unified: "tool_calls" },
          modelServed: ofSdk.model,
          requestId: "req_1",
          usage: { inputTokens: ofSdk.usage?.prompt_tokens, outputTokens: ofSdk.usage?.completion_tokens },
        },
      });
    }
  });

  const filterError = {
    error: {
      message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      type: null,
      param: "prompt",
      code: "content_filter",
      status: 400,
      innererror: {
        code: "ResponsibleAIPolicyViolation",
        content_filter_result: { violence: { filtered: true, severity: "medium" } },
      },
    },
  };

  it.each([
    ["chat", false],
    ["chat", true],
    ["responses", false],
    ["responses", true],
  ])("is what the filter says of a prompt: %s, streamed: %j", async (api, stream) => {
    server = await startServer((_request, response) =>
      sendJson(response, 400, filterError, { "apim-request-id": "req_2" }),
    );
    expect(await ask({ provider: { api }, stream })).toMatchObject({
      success: true,
      data: {
        text: "",
        toolCalls: [],
        finishReason: { unified: "content_filter", raw: "content_filter" },
        usage: null,
        requestId: "req_2",
      },
    });
  });

  it("that the filter cut is one", async () => {
    const completion = azureCompletion({ text: "How to" });
    for (const choice of completion.choices) choice.finish_reason = "content_filter";
    server = await startServer((_request, response) => sendJson(response, 200, completion));
    expect(await ask()).toMatchObject({ data: { text: "How to", finishReason: { unified: "content_filter" } } });
    await server.close();
    const cut = { ...responseBody({ text: "How to" }), status: "incomplete" };
    const response = { ...cut, incomplete_details: { reason: "content_filter" } };
    server = await startServer((_request, reply) => {
      reply.writeHead(200, { "content-type": "text/event-stream" });
      reply.end(namedEvents(responseEvents(response)));
    });
    expect(await ask({ provider: { api: "responses" }, stream: true })).toMatchObject({
      data: { text: "How to", finishReason: { unified: "content_filter" } },
    });
  });
});

describe("a failure", () => {
  it.each([
    [401, "401", "Access denied due to invalid subscription key or wrong API endpoint.", {}, "PROVIDER_AUTH_ERROR", {}],
    [403, "403", "Out of call volume quota. Quota will be replenished in 02:12:21.", {}, "PROVIDER_API_ERROR", {}],
    [404, "DeploymentNotFound", "The API deployment does not exist.", {}, "PROVIDER_API_ERROR", {}],
    [429, "429", "Please retry after 6 seconds.", {}, "PROVIDER_RATE_LIMIT", { retryAfterMs: 6_000 }],
    [
      429,
      "too_many_requests",
      "Too many requests",
      { "retry-after": "2", "retry-after-ms": "1500" },
      "PROVIDER_RATE_LIMIT",
      { retryAfterMs: 1_500 },
    ],
    [503, "503", "Service unavailable", {}, "PROVIDER_API_ERROR", { retryable: true }],
  ])("with status %i and code %s has its one code", async (status, code, message, headers, expected, details) => {
    const body = { error: { code, message } };
    server = await startServer((_request, response) =>
      sendJson(response, status, body, { "apim-request-id": "req_3", ...headers }),
    );
    expect(await ask()).toMatchObject({
      success: false,
      error: { code: expected, details: { provider: "Azure OpenAI", status, requestId: "req_3", ...details } },
    });
  });

  it.each([
    [0, { retryable: true }],
    [1, { retryable: false, partialText: "" }],
    [3, { retryable: false, partialText: "I wi" }],
  ])("of the connection after %i chunks", async (count, details) => {
    const chunks = azureStream(azureCompletion(answer)).split("\n\n").slice(0, count);
    server = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunks.map((chunk) => `${chunk}\n\n`).join("") || ": hello\n\n", () => response.destroy());
    });
    expect(await ask({ stream: true })).toMatchObject({
      success: false,
      error: { code: "PROVIDER_NETWORK_ERROR", details },
    });
  });
});

it("has a stand-in that reads what is sent and answers in its format", async () => {
  const { config, env, read, reply, isStream } = azureFake;
  server = await startServer((request, response) => {
    const asked = { url: request.path, headers: request.headers, body: request.body };
    expect(read(asked)).toEqual({
      system: null,
      userTexts: ["Cancel this", "Thanks"],
      toolResults: [{ tool: "cancel_order", content: "done" }],
      tools: ["cancel_order"],
    });
    const { headers, body } = reply({ text: "Bye", toolCalls: [] }, isStream(asked));
    response.writeHead(200, headers).end(body);
  });
  for (const stream of [false, true]) {
    expect(await ask({ provider: config(server.url), env, stream })).toMatchObject({ data: { text: "Bye" } });
  }
});
