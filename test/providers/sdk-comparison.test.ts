import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ProviderRequest } from "../../packages/core/src/providers/provider.js";
import { anthropicMessage, chatCompletion } from "../../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, startServer, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor, requestOf, transport } from "./adapter-under-test.js";
import { parameters, pixel, sampleHistory as history, sampleTools as tools } from "./sample-conversation.js";

const key = "sk-test-comparison";
const answer = {
  text: "I will cancel it.",
  toolCalls: [{ id: "call_3", tool: "cancel_order", args: { order_id: "ORD-1", reason: "grüße €" } }],
};

let server: LoopbackServer;

afterEach(() => server.close());
afterAll(() => transport.close());

/** The request that the SDK sent, and the one that the adapter sent. */
function bothRequests() {
  const [ofSdk, ofAdapter] = server.requests;
  if (ofSdk === undefined || ofAdapter === undefined) throw new Error("Two requests were expected");
  return { ofSdk, ofAdapter };
}

function ask(type: "openai" | "anthropic", provider: Readonly<Record<string, unknown>>, request: ProviderRequest) {
  const adapter = adapterFor({
    type,
    model: "the-model",
    provider: { api_key_env: "KEY", ...provider },
    env: { KEY: key },
  });
  return adapter.complete(request, { signal: new AbortController().signal });
}

describe("OpenAI", () => {
  const sdk = (): OpenAI => new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 });

  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "You are terse." },
    {
      role: "user",
      content: [
        { type: "text", text: "Where are these orders?" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } },
        { type: "image_url", image_url: { url: "https://example.com/label.png" } },
      ],
    },
    {
      role: "assistant",
      content: "Let me look.",
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "lookup_order", arguments: '{"order_id":"ORD-1"}' } },
        { id: "call_2", type: "function", function: { name: "lookup_order", arguments: '{"order_id":"ORD-2"}' } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: '{"status":"delivered"}' },
    { role: "tool", tool_call_id: "call_2", content: '{"ok":false,"error":"no such order"}' },
    { role: "assistant", content: "ORD-1 was delivered." },
    { role: "user", content: "Cancel it." },
  ];
  const sdkTools: OpenAI.ChatCompletionTool[] = [
    { type: "function", function: { name: "lookup_order", description: "Look an order up by its id", parameters } },
    { type: "function", function: { name: "cancel_order", parameters } },
  ];

  it("gets the request that the SDK sends for the same conversation", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, chatCompletion(answer)));
    await sdk().chat.completions.create(
      {
        model: "the-model",
        messages,
        tools: sdkTools,
        temperature: 0,
        top_p: 0.9,
        // oxlint-disable-next-line typescript/no-deprecated -- servers that imitate OpenAI know this name only
        max_tokens: 512,
        // oxlint-disable-next-line typescript/no-deprecated -- it still works, and tests want repeatable answers
        seed: 7,
        stop: ["END"],
        frequency_penalty: 0.5,
        presence_penalty: -0.5,
        reasoning_effort: "low",
        tool_choice: { type: "function", function: { name: "cancel_order" } },
        parallel_tool_calls: false,
        response_format: { type: "json_schema", json_schema: { name: "order", schema: parameters, strict: true } },
      },
      { headers: { "OpenAI-Organization": "org-1", "OpenAI-Project": "proj-1" } },
    );
    const params = {
      temperature: 0,
      top_p: 0.9,
      max_tokens: 512,
      seed: 7,
      stop: ["END"],
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
      reasoning_effort: "low",
      tool_choice: { tool: "cancel_order" },
      parallel_tool_calls: false,
      response_format: { name: "order", schema: parameters, strict: true },
    };
    const provider = { base_url: `${server.url}/v1`, organization: "org-1", project: "proj-1" };
    await ask("openai", provider, requestOf({ system: "You are terse.", messages: history, tools, params }));
    const { ofSdk, ofAdapter } = bothRequests();
    expect(ofAdapter.json).toEqual(ofSdk.json);
    expect(ofAdapter).toMatchObject({ method: ofSdk.method, path: ofSdk.path });
    for (const name of ["authorization", "content-type", "accept", "openai-organization", "openai-project"]) {
      expect(ofAdapter.headers[name]).toBe(ofSdk.headers[name]);
    }
    expect(ofAdapter.headers["authorization"]).toBe(`Bearer ${key}`);
  });

  it("is read as the SDK reads it", async () => {
    const headers = { "x-request-id": "req_1" };
    server = await startServer((_request, response) => sendJson(response, 200, chatCompletion(answer), headers));
    const { data, request_id: requestId } = await sdk()
      .chat.completions.create({ model: "the-model", messages })
      .withResponse();
    const result = await ask("openai", { base_url: `${server.url}/v1` }, requestOf());
    const read = result.success ? result.data : null;
    const [choice] = data.choices;
    expect(read?.text).toBe(choice?.message.content);
    expect(read?.finishReason.raw).toBe(choice?.finish_reason);
    expect(read?.modelServed).toBe(data.model);
    expect(read?.requestId).toBe(requestId);
    const calls = choice?.message.tool_calls?.map((call) =>
      call.type === "function"
        ? { id: call.id, tool: call.function.name, args: JSON.parse(call.function.arguments) as unknown }
        : call,
    );
    expect(read?.toolCalls).toEqual(calls);
    expect(read?.usage).toEqual({
      inputTokens: data.usage?.prompt_tokens,
      outputTokens: data.usage?.completion_tokens,
      cachedInputTokens: data.usage?.prompt_tokens_details?.cached_tokens,
      reasoningTokens: data.usage?.completion_tokens_details?.reasoning_tokens,
    });
  });

  it.each([400, 401, 403, 404, 408, 409, 422, 429, 500, 503])("%i fails for both", async (status) => {
    server = await startServer((_request, response) => {
      sendJson(response, status, { error: { message: "no", type: "t", code: null } }, { "x-request-id": "req_9" });
    });
    const ofSdk: unknown = await sdk()
      .chat.completions.create({ model: "the-model", messages })
      .catch((cause: unknown) => cause);
    const result = await ask("openai", { base_url: `${server.url}/v1` }, requestOf());
    expect(ofSdk).toMatchObject({ status, requestID: "req_9" });
    expect(result).toMatchObject({ success: false, error: { details: { status, requestId: "req_9" } } });
  });
});

describe("Anthropic", () => {
  const sdk = (): Anthropic => new Anthropic({ apiKey: key, baseURL: server.url, maxRetries: 0 });

  const messages: Anthropic.MessageParam[] = [
    {
      role: "user",
      content: [
        { type: "text", text: "Where are these orders?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
        { type: "image", source: { type: "url", url: "https://example.com/label.png" } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "call_1", name: "lookup_order", input: { order_id: "ORD-1" } },
        { type: "tool_use", id: "call_2", name: "lookup_order", input: { order_id: "ORD-2" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call_1", content: '{"status":"delivered"}' },
        { type: "tool_result", tool_use_id: "call_2", content: '{"ok":false,"error":"no such order"}', is_error: true },
      ],
    },
    { role: "assistant", content: "ORD-1 was delivered." },
    { role: "user", content: "Cancel it." },
  ];
  const sdkTools: Anthropic.Tool[] = [
    {
      name: "lookup_order",
      description: "Look an order up by its id",
      input_schema: { ...parameters, type: "object" as const },
    },
    { name: "cancel_order", input_schema: { ...parameters, type: "object" as const } },
  ];

  it("gets the request that the SDK sends for the same conversation", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, anthropicMessage(answer)));
    await sdk().messages.create({
      model: "the-model",
      max_tokens: 512,
      system: "You are terse.",
      messages,
      tools: sdkTools,
      stop_sequences: ["END"],
      output_config: { effort: "low", format: { type: "json_schema", schema: parameters } },
      tool_choice: { type: "tool", name: "cancel_order", disable_parallel_tool_use: true },
    });
    const params = {
      max_tokens: 512,
      stop: ["END"],
      reasoning_effort: "low",
      tool_choice: { tool: "cancel_order" },
      parallel_tool_calls: false,
      // The API has no name for a schema, and enforces it always.
      response_format: { name: "order", schema: parameters, strict: true },
    };
    const request = requestOf({ system: "You are terse.", messages: history, tools, params });
    await ask("anthropic", { base_url: server.url }, request);
    const { ofSdk, ofAdapter } = bothRequests();
    expect(ofAdapter.json).toEqual(ofSdk.json);
    expect(ofAdapter).toMatchObject({ method: ofSdk.method, path: ofSdk.path });
    for (const name of ["anthropic-version", "content-type", "accept"]) {
      expect(ofAdapter.headers[name]).toBe(ofSdk.headers[name]);
    }
    // The API takes the key either way; its reference shows x-api-key, which servers like it know as well.
    expect(ofAdapter.headers["x-api-key"]).toBe(key);
    expect(ofSdk.headers["authorization"]).toBe(`Bearer ${key}`);
  });

  it("is read as the SDK reads it", async () => {
    const headers = { "request-id": "req_1" };
    server = await startServer((_request, response) => sendJson(response, 200, anthropicMessage(answer), headers));
    const { data, request_id: requestId } = await sdk()
      .messages.create({ model: "the-model", max_tokens: 16, messages })
      .withResponse();
    const result = await ask("anthropic", { base_url: server.url }, requestOf());
    const read = result.success ? result.data : null;
    const texts = data.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
    const calls = data.content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, tool: block.name, args: block.input }] : [],
    );
    expect(read?.text).toBe(texts.join(""));
    expect(read?.toolCalls).toEqual(calls);
    expect(read?.finishReason.raw).toBe(data.stop_reason);
    expect(read?.modelServed).toBe(data.model);
    expect(read?.requestId).toBe(requestId);
    const { usage } = data;
    const cached = usage.cache_read_input_tokens ?? 0;
    expect(read?.usage).toEqual({
      inputTokens: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
      outputTokens: usage.output_tokens,
      cachedInputTokens: cached,
      reasoningTokens: usage.output_tokens_details?.thinking_tokens,
    });
  });

  it.each([400, 401, 402, 403, 404, 413, 429, 500, 504, 529])("%i fails for both", async (status) => {
    server = await startServer((_request, response) => {
      const body = { type: "error", error: { type: "t", message: "no" }, request_id: "req_9" };
      sendJson(response, status, body, { "request-id": "req_9" });
    });
    const ofSdk: unknown = await sdk()
      .messages.create({ model: "the-model", max_tokens: 16, messages })
      .catch((cause: unknown) => cause);
    const result = await ask("anthropic", { base_url: server.url }, requestOf());
    expect(ofSdk).toMatchObject({ status, requestID: "req_9" });
    expect(result).toMatchObject({ success: false, error: { details: { status, requestId: "req_9" } } });
  });
});
