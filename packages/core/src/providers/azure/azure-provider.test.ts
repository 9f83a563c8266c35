import { describe, expect, it } from "vitest";
import { strictObject } from "../../schema-parts/strict-object.js";
import { createSystemClock } from "../../values/clock.js";
import type { HttpRequest } from "../http/transport.js";
import { azureProvider, azureModelsUrl, azureUrl, isAzureHost, toAzureEndpoint } from "./azure-provider.js";

type Env = Record<string, string>;

function settingsOf(provider: Record<string, unknown>, { providerName = "azure", own = {} } = {}) {
  return { id: "m", providerName, model: "gpt-x", provider, own, documents: {} };
}

async function ask(provider: Record<string, unknown>, env: Env, options = {}) {
  const sent: HttpRequest[] = [];
  const http = {
    async send(request: HttpRequest) {
      sent.push(request);
      return { success: true as const, data: { status: 401, headers: {}, body: "", latencyMs: 1 } };
    },
    close: () => Promise.resolve(),
  };
  const created = azureProvider.create(settingsOf(provider, options), { http, clock: createSystemClock(), env });
  if (!created.success) return { request: undefined, error: created.error };
  const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
  const request = { messages: [], tools: [], params: { max_tokens: 9 }, origin };
  const result = await created.data.complete(request, { signal: new AbortController().signal });
  return { request: sent[0], error: result.success ? null : result.error };
}

const key = { AZURE_OPENAI_API_KEY: "key-1" };
const token = { AZURE_OPENAI_AD_TOKEN: " token-1\n" };

describe("azure", () => {
  it("asks the v1 API of the resource with its key", async () => {
    const { request, error } = await ask({ resource: "shop" }, key);
    expect(request?.url).toBe("https://shop.openai.azure.com/openai/v1/chat/completions");
    expect(request?.headers).toMatchObject({ "api-key": "key-1" });
    expect(request?.headers).not.toHaveProperty("authorization");
    expect(JSON.parse(request?.body ?? "")).toEqual({ model: "gpt-x", messages: [], max_completion_tokens: 9 });
    expect(error?.message).toBe(
      "Azure OpenAI API key is invalid or missing. Set AZURE_OPENAI_API_KEY environment variable.",
    );
  });

  it("asks the deployment that an agent names for embeddings", async () => {
    const sent: string[] = [];
    const http = {
      async send({ url, body }: HttpRequest) {
        sent.push(url, body ?? "");
        return { success: true as const, data: { status: 401, headers: {}, body: "", latencyMs: 1 } };
      },
      close: () => Promise.resolve(),
    };
    const settings = settingsOf({ resource: "shop", api_version: "2024-10-21" });
    const created = azureProvider.create(settings, { http, clock: createSystemClock(), env: key });
    const listener = { sent: () => {}, piece: () => {}, replied: () => {} };
    const asked = { dialect: "openai-chat" as const, path: "/v1/embeddings", query: "", headers: {}, isStream: false };
    const native = { ...asked, model: "vectors", body: '{ "model": "vectors" }', listener };
    const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
    const { signal } = new AbortController();
    if (created.success) await created.data.embed?.({ texts: [], params: {}, origin, native }, { signal });
    expect(sent).toEqual([
      "https://shop.openai.azure.com/openai/deployments/vectors/embeddings?api-version=2024-10-21",
      '{ "model": "vectors" }',
    ]);
  });

  it("prefers a token of Entra ID", async () => {
    const { request, error } = await ask({ resource: "shop" }, { ...key, ...token });
    expect(request?.headers).toMatchObject({ authorization: "Bearer token-1" });
    expect(request?.headers).not.toHaveProperty("api-key");
    expect(error?.message).toMatch(/Set AZURE_OPENAI_AD_TOKEN environment variable/);
  });

  it("prefers the variable that the config names", async () => {
    const { request } = await ask({ resource: "shop", api_key_env: "WEST_KEY" }, { ...token, WEST_KEY: "key-2" });
    expect(request?.headers).toMatchObject({ "api-key": "key-2" });
    expect(request?.headers).not.toHaveProperty("authorization");
  });

  it.each([
    [{ deployment: "a" }, {}, "a"],
    [{ deployment: "a" }, { deployment: "b" }, "b"],
    [{}, {}, "gpt-x"],
  ])("asks the deployment of %j and %j", async (provider, own, deployment) => {
    const { request } = await ask({ resource: "shop", api_version: "2024-10-21", ...provider }, key, { own });
    expect(request?.url).toContain(`/deployments/${deployment}/chat/completions?api-version=2024-10-21`);
    expect(request?.body).toContain(`"model":"${deployment}"`);
  });

  it.each([
    [{ api: "responses" }, {}, true],
    [{ api: "responses" }, { api: "chat" }, false],
    [{}, { api: "responses" }, true],
  ])("asks the API of %j and %j", async (provider, own, isResponses) => {
    const { request } = await ask({ resource: "shop", ...provider }, key, { own });
    expect(request?.url.endsWith("/openai/v1/responses")).toBe(isResponses);
    expect(request?.body?.includes('"max_output_tokens":9')).toBe(isResponses);
  });

  it("finds the address in the environment, and says when there is none", async () => {
    const env = { ...key, AZURE_OPENAI_ENDPOINT: "https://shop.openai.azure.com/" };
    expect((await ask({}, env)).request?.url).toBe("https://shop.openai.azure.com/openai/v1/chat/completions");
    expect((await ask({}, key)).error).toMatchObject({
      code: "CONFIG_VALIDATION_ERROR",
      message:
        "Azure OpenAI has no address. Set resource or base_url of the provider, or AZURE_OPENAI_ENDPOINT in the environment.",
    });
  });

  it("sends the usual key to Azure under any name, and to no other server", async () => {
    const west = { providerName: "west" };
    const azure = await ask({ base_url: "https://west.openai.azure.com/openai/v1" }, key, west);
    expect(azure.request?.headers).toMatchObject({ "api-key": "key-1" });
    const other = await ask({ base_url: "http://127.0.0.1:8080" }, { ...key, ...token }, west);
    expect(JSON.stringify(other.request)).not.toMatch(/key-1|token-1/);
  });

  it("sends nothing without a key", async () => {
    const { request, error } = await ask({ resource: "shop" }, {});
    expect(request).toBeUndefined();
    expect(error?.code).toBe("PROVIDER_AUTH_ERROR");
  });

  it("can be looked at without sending anything", () => {
    expect(azureProvider.inspect(settingsOf({ resource: "shop" }), key)).toEqual({
      baseUrl: "https://shop.openai.azure.com",
      keys: [
        { env: "AZURE_OPENAI_AD_TOKEN", isSet: false },
        { env: "AZURE_OPENAI_API_KEY", isSet: true },
      ],
      isKeyNeeded: true,
      probe: { url: "https://shop.openai.azure.com/openai/v1/models", headers: { "api-key": "key-1" } },
    });
    expect(azureProvider.inspect(settingsOf({}), {})).toMatchObject({ baseUrl: "", probe: null, isKeyNeeded: true });
    const named = azureProvider.inspect(settingsOf({ resource: "shop", api_key_env: "K" }), { K: "x" });
    expect(named?.keys).toEqual([{ env: "K", isSet: true }]);
  });

  it.each([
    [{ resource: "shop", api_version: "2025-04-01-preview", api: "responses", deployment: "d" }, true],
    [{ api_version: "preview" }, true],
    [{ api_version: "v2" }, false],
    [{ resource: "https://shop.openai.azure.com" }, false],
    [{ api: "assistants" }, false],
  ])("takes the settings %j: %j", (settings, isValid) => {
    expect(strictObject(azureProvider.settings).safeParse(settings).success).toBe(isValid);
  });
});

const endpoint = "https://shop.openai.azure.com";

describe("azureUrl", () => {
  it.each([
    [null, "chat", "/openai/v1/chat/completions"],
    [null, "responses", "/openai/v1/responses"],
    ["preview", "responses", "/openai/v1/responses?api-version=preview"],
    ["2024-10-21", "chat", "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21"],
    ["2025-04-01-preview", "responses", "/openai/responses?api-version=2025-04-01-preview"],
  ] as const)("of version %j, %s", (apiVersion, api, path) => {
    expect(azureUrl({ endpoint, apiVersion, deployment: "my gpt" }, api)).toBe(`${endpoint}${path}`);
  });
});

it.each([
  [null, "/openai/v1/models"],
  ["2024-10-21", "/openai/models?api-version=2024-10-21"],
])("lists the models of version %j", (apiVersion, path) => {
  expect(azureModelsUrl({ endpoint, apiVersion, deployment: "d" })).toBe(`${endpoint}${path}`);
});

it.each(["", "/", "/openai", "/openai/", "/openai/v1", "/openai/v1/"])(
  "finds the resource in an address with %j",
  (end) => {
    expect(toAzureEndpoint(`${endpoint}${end}`)).toBe(endpoint);
  },
);

it.each([
  [endpoint, true],
  ["https://shop.cognitiveservices.azure.com", true],
  ["https://shop.services.ai.azure.com", true],
  ["https://shop.openai.azure.us", true],
  ["https://shop.cloudapp.azure.com", false],
  ["https://shop.openai.azure.com.example.com", false],
  ["https://example.com/shop.openai.azure.com", false],
  ["http://127.0.0.1:8080", false],
  ["", false],
])("%s is Azure's own: %j", (url, expected) => {
  expect(isAzureHost(url)).toBe(expected);
});
