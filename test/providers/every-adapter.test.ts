import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ProviderRequest } from "../../packages/core/src/providers/provider.js";
import { findProvider, knownProviderNames } from "../../packages/core/src/providers/registry.js";
import { adapterRows } from "../support/adapters/adapter-rows.js";
import { allParams, answerSchema, type AdapterRow, type ErrorReply } from "../support/adapters/adapter-row.js";
import type { HttpTransport } from "../../packages/core/src/providers/http/transport.js";
import { added, valueAt, withCounts, withValue } from "../support/json-paths.js";
import { withInFirstEvent } from "../support/stream-events.js";
import {
  sendJson,
  startServer,
  type LoopbackServer,
  type ReceivedRequest,
} from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor, requestOf, transport } from "./adapter-under-test.js";
import { pixel, sampleTools } from "./sample-conversation.js";

type Json = Record<string, unknown>;

const said = { text: "Let me look.", toolCalls: [{ tool: "lookup_order", args: { order_id: "ORD-1" } }] };
const plain = { text: "It was delivered.", toolCalls: [] };
const key = "k-0123456789abcdef";
const keyEnv = "KEY_UNDER_TEST";
const signal = new AbortController().signal;

let server: LoopbackServer | null = null;

afterEach(async () => {
  await server?.close();
  server = null;
});
afterAll(() => transport.close());

function replyOf({ fake }: AdapterRow, answer: Parameters<AdapterRow["fake"]["reply"]>[0] = said): unknown {
  return JSON.parse(String(fake.reply(answer, false).body));
}

interface Asked {
  request?: Partial<ProviderRequest>;
  reply?: unknown;
  error?: ErrorReply;
  /** End of the address; the first of the row's when absent. */
  ending?: string;
  provider?: Json;
  env?: Record<string, string>;
}

async function ask(row: AdapterRow, asked: Asked = {}) {
  const { reply = replyOf(row), error, request = {}, ending = row.endings[0], provider = {} } = asked;
  const started = await startServer((_request, response) => {
    const headers = { [row.requestId]: "req-1", ...error?.headers };
    sendJson(response, error?.status ?? 200, error?.body ?? reply, headers);
  });
  server = started;
  const { type: _type, ...config } = row.fake.config("");
  const block = { ...config, ...row.provider, base_url: `${started.url}${ending}`, api_key_env: keyEnv, ...provider };
  const adapter = adapterFor({ type: row.fake.type, provider: block, env: asked.env ?? { [keyEnv]: key } });
  const result = await adapter.complete(requestOf(request), { signal });
  const received: ReceivedRequest | undefined = started.requests[0];
  await started.close();
  return { result, received, body: (received?.json ?? {}) as Json, count: started.requests.length };
}

/** The same answer in a stream, one event of which has more. */
async function streamedWith(row: AdapterRow, more: Json) {
  const bytes = Buffer.from(row.fake.reply(said, true).body);
  const head = { status: 200, headers: { "content-type": "text/event-stream" } };
  const http: HttpTransport = {
    send: async ({ sink }) => {
      for (const piece of withInFirstEvent(bytes, more)) sink?.(piece, 1, head);
      return {
        success: true,
        data: { ...head, body: "", latencyMs: 2 },
      };
    },
    close: async () => {},
  };
  const { type: _type, ...config } = row.fake.config("");
  const provider = { ...config, ...row.provider, base_url: "http://127.0.0.1:1", api_key_env: keyEnv };
  const adapter = adapterFor({ type: row.fake.type, provider, env: { [keyEnv]: key } }, { http });
  return adapter.complete(requestOf({ stream: true }), { signal });
}

it("is asked of every provider that sends requests", () => {
  const types = new Set([...adapterRows.map(({ fake }) => fake.type), "scripted"]);
  expect([...types].toSorted()).toEqual([...knownProviderNames].toSorted());
});

describe.each(adapterRows.map((row) => [row.name, row] as const))("%s", (_name, row) => {
  it("does not ask the provider's own server without a key", async () => {
    const http = { send: () => Promise.reject(new Error("sent")), close: () => Promise.resolve() };
    const { api } = row.fake.config("");
    const provider = { ...(api === undefined ? {} : { api }), ...row.official };
    const adapter = adapterFor({ type: row.fake.type, provider }, { http });
    expect(await adapter.complete(requestOf(), { signal })).toMatchObject({
      success: false,
      error: { code: "PROVIDER_AUTH_ERROR", details: { retryable: false } },
    });
  });

  it.each(row.endings)("finds its path below an address that ends with '%s'", async (ending) => {
    const { received, result } = await ask(row, { ending });
    expect(received?.path).toBe(row.path);
    expect(result.success).toBe(true);
  });

  it("sends the key in its header alone, without the line feed at its end", async () => {
    const { received } = await ask(row, { env: { [keyEnv]: ` ${key}\n` } });
    const [header, before] = row.key;
    expect(received?.headers[header]).toBe(`${before}${key}`);
    expect(received?.path).not.toContain(key);
    expect(received?.body).not.toContain(key);
  });

  it("lets the headers of the config win", async () => {
    const [header] = row.key;
    const headers = { [header.toUpperCase()]: "mine", "User-Agent": "me", "X-Team": "qa" };
    const { received } = await ask(row, { provider: { headers } });
    expect(received?.headers).toMatchObject({ [header]: "mine", "user-agent": "me", "x-team": "qa" });
  });

  it("needs no key where the config has the header for it", async () => {
    const { official = {} } = row;
    const sent: Json[] = [];
    const http = {
      send: (request: { headers: Json }) => {
        sent.push(request.headers);
        return Promise.resolve({
          success: true as const,
          data: { status: 200, headers: {}, body: "{}", latencyMs: 1 },
        });
      },
      close: () => Promise.resolve(),
    };
    const [header] = row.key;
    const provider = { ...official, headers: { [header]: "mine" } };
    await adapterFor({ type: row.fake.type, provider }, { http }).complete(requestOf(), { signal });
    expect(sent).toMatchObject([{ [header]: "mine" }]);
  });

  it("translates the params, and leaves out what has no counterpart", async () => {
    const bare = await ask(row, { request: { tools: sampleTools } });
    const full = await ask(row, { request: { tools: sampleTools, params: allParams } });
    expect(added(bare.body, full.body)).toEqual(row.params);
  });

  it("lets extra_body win", async () => {
    const extra_body = { ...row.extra, brand_new: { a: 1 } };
    const { body } = await ask(row, { request: { tools: sampleTools, params: { ...allParams, extra_body } } });
    expect(body).toMatchObject(extra_body);
  });

  it("asks for JSON, with and without a schema", async () => {
    const free = await ask(row, { request: { params: { response_format: "json" } } });
    expect(free.result.success).toBe(true);
    const bound = await ask(row, { request: { params: { response_format: { schema: answerSchema } } } });
    expect(bound.body).toMatchObject(row.schema);
    expect(bound.result.success).toBe(true);
  });

  it("takes an image as data", async () => {
    const { result, received } = await ask(row, {
      request: { messages: [imageOf({ kind: "base64", mediaType: "image/png", data: pixel })] },
    });
    expect(result.success).toBe(true);
    expect(received?.body).toContain(pixel);
  });

  it(`${row.takesImageUrls ? "takes" : "refuses"} an image by its address`, async () => {
    const url = "https://example.com/label.png";
    const { result, received, count } = await ask(row, { request: { messages: [imageOf({ kind: "url", url })] } });
    if (row.takesImageUrls) {
      expect(result.success).toBe(true);
      expect(received?.body).toContain(url);
      return;
    }
    expect(count).toBe(0);
    expect(result).toMatchObject({ error: { code: "PROVIDER_API_ERROR", details: { retryable: false } } });
    expect(result.success ? "" : result.error.message).toContain(url);
  });

  it("reads an answer with its calls, its usage, and the id of the exchange", async () => {
    const { result } = await ask(row);
    expect(result).toMatchObject({ data: { toolCalls: said.toolCalls, requestId: "req-1" } });
    const answer = result.success ? result.data : null;
    expect(answer?.toolCalls[0]?.id).toMatch(/./);
    expect(answer?.finishReason.unified).toBe("tool_calls");
    expect(answer?.usage?.inputTokens).toBeGreaterThan(0);
    expect(answer).not.toHaveProperty("timeToFirstTokenMs");
  });

  it("keeps arguments that are no JSON as data", async () => {
    const { result } = await ask(row, { reply: withValue(replyOf(row), row.at.args, '{"order_id":') });
    expect(result).toMatchObject({
      data: { toolCalls: [{ tool: "lookup_order", malformed: { raw: '{"order_id":' } }] },
    });
  });

  it("takes an empty answer for an answer", async () => {
    const { result } = await ask(row, { reply: replyOf(row, { text: "", toolCalls: [] }) });
    expect(result).toMatchObject({ data: { text: "", toolCalls: [], finishReason: { unified: "stop" } } });
  });

  it("reports no usage when the server does not", async () => {
    const reply = row.at.usage.reduce((body, path) => withValue(body, path, undefined), replyOf(row));
    expect((await ask(row, { reply })).result).toMatchObject({ data: { usage: null } });
  });

  it.each([-1, 0.5, 1e12])("does not believe a count of %d tokens", async (count) => {
    const reply = row.at.usage.reduce(
      (body, path) => withValue(body, path, withCounts(valueAt(body, path), count)),
      replyOf(row),
    );
    expect((await ask(row, { reply })).result).toMatchObject({ data: { toolCalls: [{}], usage: null } });
  });

  it("takes an end with calls that has none for a contradiction", async () => {
    const reply = withValue(replyOf(row, plain), row.at.stop, valueAt(replyOf(row), row.at.stop));
    const { result } = await ask(row, { reply });
    const saysCalls = /tool/i.test(JSON.stringify(valueAt(reply, row.at.stop)));
    expect(result).toMatchObject(
      saysCalls
        ? { success: false, error: { code: "PROVIDER_API_ERROR", details: { status: 200 } } }
        : { success: true },
    );
    if (!result.success) expect(result.error.message).toContain("without a tool call that can be read");
  });

  it.each<[string, Json]>([
    ["of OpenAI's first kind", { function_call: { name: "delete_order", arguments: "{}" } }],
    ["that is marked as one", { more: [{ toolUse: { name: "delete_order" } }] }],
    ["with a name and arguments", { steps: [{ tool: "delete_order", args: {} }] }],
  ])("refuses a reply with a call %s that it cannot read", async (_kind, hidden) => {
    const { result } = await ask(row, { reply: { ...(replyOf(row) as Json), hidden } });
    expect(result).toMatchObject({ success: false, error: { code: "PROVIDER_API_ERROR" } });
    if (!result.success)
      expect(result.error.message).toMatch(
        /what looks like a (?:tool call|call of \S+), at hidden\S+, and cannot be read/,
      );
    const streamed = await streamedWith(row, hidden);
    expect(streamed).toMatchObject({ success: false, error: { code: "PROVIDER_API_ERROR" } });
  });

  it("keeps a reason to stop that is new", async () => {
    const whole = withValue({}, row.at.raw ?? [], "brand_new");
    const { result } = await ask(row, { reply: withValue(replyOf(row, plain), row.at.stop, whole) });
    expect(result).toMatchObject({ data: { finishReason: { unified: "other", raw: "brand_new" } } });
  });

  it.each([
    [401, 0, { code: "PROVIDER_AUTH_ERROR", details: { retryable: false, requestId: "req-1" } }],
    [429, 1, { code: "PROVIDER_RATE_LIMIT", details: { retryable: true } }],
    [500, 2, { code: "PROVIDER_API_ERROR", details: { status: 500 } }],
    [503, 3, { code: "PROVIDER_API_ERROR", details: { retryable: true } }],
  ] as const)("reports what its error for %s means", async (_status, index, error) => {
    const { result } = await ask(row, { error: row.errors[index] });
    expect(result).toMatchObject({ success: false, error });
  });

  it.each([
    ["of several pieces", said],
    ["of a single character", { text: "4", toolCalls: [] }],
    ["of a call alone", { text: "", toolCalls: said.toolCalls }],
  ])("measures the time to the first piece of a stream %s", async (_what, answer) => {
    const { headers, body } = row.fake.reply(answer, true);
    server = await startServer((_request, response) => {
      response.writeHead(200, headers);
      response.end(body);
    });
    const provider = { ...row.fake.config(server.url), ...row.provider };
    const adapter = adapterFor({ type: row.fake.type, provider, env: row.fake.env });
    const result = await adapter.complete(requestOf({ stream: true }), { signal });
    expect(result).toMatchObject({ data: { toolCalls: answer.toolCalls, timeToFirstTokenMs: expect.any(Number) } });
  });

  it("is probed on the host of the config", () => {
    const base_url = `http://gateway.test:8080${row.endings.at(-1)}`;
    const provider = { ...row.fake.config(""), ...row.provider, base_url, api_key_env: keyEnv };
    const settings = { id: "m", providerName: row.fake.type, model: "m", provider, own: {}, documents: {} };
    const access = findProvider(row.fake.type)?.inspect(settings, { [keyEnv]: `${key}\n` });
    expect(access).toMatchObject({ isKeyNeeded: true, keys: [{ env: keyEnv, isSet: true }] });
    for (const url of [access?.baseUrl ?? "", access?.probe?.url ?? base_url]) {
      expect(new URL(url).host).toBe("gateway.test:8080");
      expect(url).not.toContain(key);
    }
    if (access?.probe) expect(access.probe.headers[row.key[0]]).toBe(`${row.key[1]}${key}`);
  });
});

function imageOf(source: { kind: "url"; url: string } | { kind: "base64"; mediaType: string; data: string }) {
  return {
    role: "user",
    content: [
      { type: "text", text: "What is it?" },
      { type: "image", source },
    ],
  } as const;
}
