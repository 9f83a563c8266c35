import { GoogleGenAI } from "@google/genai";
import { Embeddings } from "@mistralai/mistralai/sdk/embeddings.js";
import { CohereClientV2 } from "cohere-ai";
import { Ollama } from "ollama";
import OpenAI, { AzureOpenAI } from "openai";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../packages/core/src/values/json.js";
import { providerDefinitions } from "../../packages/core/src/providers/registry.js";
import { sendJson, startServer, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor, transport } from "./adapter-under-test.js";

const key = "test-key";
const model = "the-model";
const texts = ["Where is order ORD-1?", "grüße €"];
const vectors = [
  [0.6, 0.8],
  [-1, 0.25],
];
const origin = { caseId: "s/t@m", trial: 1, turn: 1, seed: 1 };

let server: LoopbackServer;

afterEach(() => server.close());
afterAll(() => transport.close());

/** One API of embeddings: how its SDK asks, what it answers, and what is read from that. */
interface Api {
  type: string;
  /** Below the address of the server. */
  path?: string;
  provider?: Readonly<Record<string, unknown>>;
  /** What the config adds to the request. */
  extra: JsonObject;
  sdk(): Promise<unknown>;
  /** What the SDK writes out beyond what is asked for. */
  withoutDefaults?: JsonObject;
  reply: JsonObject;
  read: { inputTokens: number | null; modelServed: string | null };
}

/** Not in the order of the texts. */
const openaiReply: JsonObject = {
  object: "list",
  data: [
    { object: "embedding", index: 1, embedding: vectors[1] ?? [] },
    { object: "embedding", index: 0, embedding: vectors[0] ?? [] },
  ],
  model: "the-model-2026",
  usage: { prompt_tokens: 9, total_tokens: 9 },
};

const openaiRead = { inputTokens: 9, modelServed: "the-model-2026" };

const floats = { encoding_format: "float" } as const;

const apis: Readonly<Record<string, Api>> = {
  OpenAI: {
    type: "openai",
    path: "/v1",
    extra: { dimensions: 2 },
    sdk: () =>
      new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 }).embeddings.create({
        model,
        input: texts,
        dimensions: 2,
        ...floats,
      }),
    withoutDefaults: floats,
    reply: openaiReply,
    read: openaiRead,
  },
  "Azure, the classic API": {
    type: "azure",
    provider: { api_version: "2024-10-21" },
    extra: {},
    sdk: () =>
      new AzureOpenAI({ endpoint: server.url, apiKey: key, apiVersion: "2024-10-21", maxRetries: 0 }).embeddings.create(
        {
          model,
          input: texts,
          ...floats,
        },
      ),
    withoutDefaults: floats,
    reply: openaiReply,
    read: openaiRead,
  },
  "Azure, the v1 API": {
    type: "azure",
    extra: {},
    sdk: () =>
      new OpenAI({ apiKey: key, baseURL: `${server.url}/openai/v1`, maxRetries: 0 }).embeddings.create({
        model,
        input: texts,
        ...floats,
      }),
    withoutDefaults: floats,
    reply: openaiReply,
    read: openaiRead,
  },
  Mistral: {
    type: "mistral",
    extra: { output_dimension: 2 },
    sdk: () =>
      new Embeddings({ apiKey: key, serverURL: server.url, retryConfig: { strategy: "none" } }).create({
        model,
        inputs: texts,
        outputDimension: 2,
      }),
    reply: { id: "e-1", ...openaiReply },
    read: openaiRead,
  },
  Gemini: {
    type: "gemini",
    extra: { taskType: "SEMANTIC_SIMILARITY", outputDimensionality: 2 },
    sdk: () =>
      new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: server.url, apiVersion: "v1beta" } }).models.embedContent({
        model,
        contents: texts,
        config: { taskType: "SEMANTIC_SIMILARITY", outputDimensionality: 2 },
      }),
    reply: { embeddings: vectors.map((values) => ({ values })) },
    read: { inputTokens: null, modelServed: null },
  },
  Cohere: {
    type: "cohere",
    extra: {},
    sdk: () =>
      new CohereClientV2({ token: key, environment: server.url, maxRetries: 0 }).embed({
        model,
        texts,
        inputType: "clustering",
        embeddingTypes: ["float"],
        truncate: "NONE",
      }),
    reply: {
      response_type: "embeddings_by_type",
      id: "e-1",
      embeddings: { float: vectors },
      texts,
      meta: { api_version: { version: "2" }, billed_units: { input_tokens: 9 } },
    },
    read: { inputTokens: 9, modelServed: null },
  },
  Ollama: {
    type: "ollama",
    extra: { keep_alive: "1h" },
    sdk: () => new Ollama({ host: server.url }).embed({ model, input: texts, truncate: false, keep_alive: "1h" }),
    reply: { model, embeddings: vectors, total_duration: 1, load_duration: 1, prompt_eval_count: 9 },
    read: { inputTokens: 9, modelServed: model },
  },
};

function embed({ type, path = "", provider, extra }: Api, asked: readonly string[] = texts) {
  const address = { base_url: `${server.url}${path}`, api_key_env: "KEY", ...provider };
  const adapter = adapterFor({ type, model, provider: address, env: { KEY: key } });
  if (adapter.embed === undefined) throw new Error(`${type} has no embeddings`);
  const params = { extra_body: extra };
  return adapter.embed({ texts: asked, params, origin }, { signal: new AbortController().signal });
}

describe.each(Object.entries(apis))("%s", (_name, api) => {
  it("is asked as its own SDK asks, and its vectors come in the order of the texts", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, api.reply));
    await api.sdk();
    const result = await embed(api);
    const [ofSdk, ofAdapter] = server.requests;
    expect({ ...(ofAdapter?.json as object), ...api.withoutDefaults }).toEqual(ofSdk?.json);
    expect(ofAdapter).toMatchObject({ method: "POST", path: ofSdk?.path });
    const { inputTokens, modelServed } = api.read;
    expect(result).toMatchObject({
      success: true,
      data: { vectors, modelServed, usage: inputTokens === null ? null : { inputTokens, outputTokens: 0 } },
    });
  });

  it.each<[string, JsonObject | string, string]>([
    ["nothing", {}, "PROVIDER_API_ERROR"],
    ["words", "not found, sorry", "PROVIDER_API_ERROR"],
    ["another answer", { choices: [{ message: { content: "[0.1, 0.2]" } }] }, "PROVIDER_API_ERROR"],
  ])("makes an error of a success with %s in it", async (_what, body, code) => {
    server = await startServer((_request, response) => {
      if (typeof body === "string") response.end(body);
      else sendJson(response, 200, body);
    });
    expect(await embed(api)).toMatchObject({
      success: false,
      error: { code, message: expect.stringContaining("200") },
    });
  });

  it("makes an error of too few vectors", async () => {
    server = await startServer((_request, response) => sendJson(response, 200, api.reply));
    const result = await embed(api, ["a", "b", "c"]);
    expect(result).toMatchObject({ error: { message: expect.stringContaining("2 vectors for 3 strings") } });
  });

  it.each([
    [401, {}, "PROVIDER_AUTH_ERROR"],
    [429, { "retry-after": "7" }, "PROVIDER_RATE_LIMIT"],
    [503, {}, "PROVIDER_API_ERROR"],
  ])("classifies a %d like any other request", async (status, headers, code) => {
    server = await startServer((_request, response) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify({ error: { message: `no: ${key}` } }));
    });
    const result = await embed(api);
    expect(result).toMatchObject({ success: false, error: { code } });
    expect(JSON.stringify(result)).not.toContain(key);
    if (status === 429) expect(result).toMatchObject({ error: { details: { retryAfterMs: 7_000 } } });
  });
});

it.each([
  [[[1, 2], [1]], "vectors of different lengths"],
  [[[1], ["x"]], "a vector that is not a list of numbers"],
  [[[], []], "a vector that is not a list of numbers"],
  [[[1], [null]], "a vector that is not a list of numbers"],
])("refuses the vectors %j", async (embeddings, problem) => {
  const api = apis["Ollama"];
  if (api === undefined) throw new Error("no Ollama");
  server = await startServer((_request, response) => sendJson(response, 200, { embeddings }));
  expect(await embed(api)).toMatchObject({ error: { message: expect.stringContaining(problem) } });
});

it("is there for those who say so, and needs its key", async () => {
  server = await startServer((_request, response) => sendJson(response, 200, {}));
  const able = providerDefinitions.filter(({ embeds }) => embeds).map(({ type }) => type);
  expect(able).toEqual(["openai", "gemini", "mistral", "cohere", "ollama", "azure", "scripted"]);
  for (const { type, embeds = false } of providerDefinitions) {
    const provider = { base_url: server.url, region: "us-east-1" };
    expect([type, adapterFor({ type, provider }).embed !== undefined]).toEqual([type, embeds]);
  }
  const adapter = adapterFor({ type: "openai" });
  const asked = await adapter.embed?.({ texts, params: {}, origin }, { signal: new AbortController().signal });
  expect(asked).toMatchObject({ error: { code: "PROVIDER_AUTH_ERROR" } });
  expect(server.requests).toEqual([]);
});
