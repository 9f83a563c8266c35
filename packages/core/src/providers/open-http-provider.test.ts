import { describe, expect, it } from "vitest";
import { createSystemClock } from "../values/clock.js";
import type { HttpRequest, HttpTransport } from "./http/transport.js";
import { anthropicProvider } from "./anthropic/anthropic-provider.js";
import { cohereProvider } from "./cohere/cohere-provider.js";
import type { ProviderDefinition } from "./define-provider.js";
import { geminiProvider } from "./gemini/gemini-provider.js";
import { openaiProvider } from "./openai/openai-provider.js";

/** Keeps what is sent, and answers nothing useful. */
function recordingTransport(): HttpTransport & { sent: HttpRequest[] } {
  const sent: HttpRequest[] = [];
  return {
    sent,
    async send(request) {
      sent.push(request);
      return { success: true, data: { status: 401, headers: {}, body: "", latencyMs: 1 } };
    },
    close: () => Promise.resolve(),
  };
}

async function ask(
  definition: ProviderDefinition,
  provider: Record<string, unknown>,
  env: Record<string, string | undefined>,
  { providerName = definition.type, model = "m", params = {} } = {},
) {
  const http = recordingTransport();
  const settings = { id: "m", providerName, model, provider, own: {}, documents: {} };
  const created = definition.create(settings, { http, clock: createSystemClock(), env });
  if (!created.success) throw new Error(created.error.message);
  const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
  const request = { messages: [], tools: [], params: { max_tokens: 9, ...params }, origin };
  const result = await created.data.complete(request, { signal: new AbortController().signal });
  return { sent: http.sent, error: result.success ? null : result.error };
}

function inspect(
  definition: ProviderDefinition,
  provider: Record<string, unknown>,
  env: Record<string, string | undefined>,
) {
  const settings = { id: "m", providerName: definition.type, model: "m", provider, own: {}, documents: {} };
  return definition.inspect(settings, env);
}

describe("openai", () => {
  it("sends the usual key to the official address", async () => {
    const { sent } = await ask(openaiProvider, {}, { OPENAI_API_KEY: " sk-1\n" });
    expect(sent[0]?.url).toBe("https://api.openai.com/v1/chat/completions");
    expect(sent[0]?.headers["authorization"]).toBe("Bearer sk-1");
    expect(sent[0]?.body).toContain('"max_completion_tokens":9');
  });

  it.each([{}, { OPENAI_API_KEY: "" }, { OPENAI_API_KEY: " \n" }])("sends nothing without a key: %j", async (env) => {
    const { sent, error } = await ask(openaiProvider, {}, env);
    expect(sent).toEqual([]);
    expect(error).toMatchObject({
      code: "PROVIDER_AUTH_ERROR",
      message: "OpenAI API key is invalid or missing. Set OPENAI_API_KEY environment variable.",
    });
  });

  it("never sends the usual key to another server", async () => {
    const provider = { base_url: "http://127.0.0.1:8080/v1/" };
    const { sent, error } = await ask(openaiProvider, provider, { OPENAI_API_KEY: "sk-1" }, { providerName: "local" });
    expect(sent[0]?.url).toBe("http://127.0.0.1:8080/v1/chat/completions");
    expect(JSON.stringify(sent)).not.toContain("sk-1");
    expect(sent[0]?.body).toContain('"max_tokens":9');
    expect(error?.message).toMatch(/^local API key is invalid or missing\./);
  });

  it("sends the usual key to a gateway in the provider's own name, which may do without", async () => {
    const provider = { base_url: "http://127.0.0.1:8080/v1/" };
    const withKey = await ask(openaiProvider, provider, { OPENAI_API_KEY: "sk-1" });
    expect(withKey.sent[0]?.headers["authorization"]).toBe("Bearer sk-1");
    const without = await ask(openaiProvider, provider, {});
    expect(without.sent[0]?.headers["authorization"]).toBeUndefined();
    expect(without.error?.message).toMatch(/OPENAI_API_KEY/);
  });

  it("asks for the key that the config names, at any server", async () => {
    const provider = { base_url: "http://127.0.0.1:8080/v1", api_key_env: "LOCAL_KEY" };
    const without = await ask(openaiProvider, provider, {}, { providerName: "local" });
    expect(without.sent).toEqual([]);
    expect(without.error?.message).toBe("local API key is invalid or missing. Set LOCAL_KEY environment variable.");
    const { sent } = await ask(openaiProvider, provider, { LOCAL_KEY: "k" });
    expect(sent[0]?.headers["authorization"]).toBe("Bearer k");
  });

  it("lets the headers of the config win", async () => {
    const provider = { headers: { "X-Team": "a", Authorization: "Basic b" }, organization: "o", project: "p" };
    const { sent } = await ask(openaiProvider, provider, { OPENAI_API_KEY: "sk-1" });
    expect(sent[0]?.headers).toMatchObject({
      "x-team": "a",
      authorization: "Basic b",
      "openai-organization": "o",
      "openai-project": "p",
    });
  });
});

describe("anthropic", () => {
  const env = { ANTHROPIC_API_KEY: "sk-ant" };

  it("sends key and version to the official address", async () => {
    const { sent } = await ask(anthropicProvider, {}, env);
    expect(sent[0]?.url).toBe("https://api.anthropic.com/v1/messages");
    expect(sent[0]?.headers).toMatchObject({ "x-api-key": "sk-ant", "anthropic-version": "2026-10-21" });
  });

  it.each([{ temperature: 0 }, { top_p: 0.5 }, { extra_body: { top_k: 3 } }])(
    "asks for the version that still takes %j",
    async (params) => {
      const { sent } = await ask(anthropicProvider, {}, env, { params });
      expect(sent[0]?.headers["anthropic-version"]).toBe("2023-06-01");
    },
  );

  it.each(["http://127.0.0.1:1", "http://127.0.0.1:1/", "http://127.0.0.1:1/v1"])(
    "takes the address %s",
    async (base) => {
      const { sent } = await ask(anthropicProvider, { base_url: base, api_key_env: "ANTHROPIC_API_KEY" }, env);
      expect(sent[0]?.url).toBe("http://127.0.0.1:1/v1/messages");
    },
  );

  it("sends nothing without a key", async () => {
    const { sent, error } = await ask(anthropicProvider, {}, {});
    expect(sent).toEqual([]);
    expect(error?.message).toBe("Anthropic API key is invalid or missing. Set ANTHROPIC_API_KEY environment variable.");
  });
});

describe("gemini", () => {
  it("sends the key in a header to the address of the model, never in the address", async () => {
    const { sent } = await ask(geminiProvider, {}, { GEMINI_API_KEY: "g-1" });
    expect(sent[0]?.url).toBe("https://generativelanguage.googleapis.com/v1beta/models/m:generateContent");
    expect(sent[0]?.headers["x-goog-api-key"]).toBe("g-1");
  });

  it.each([
    [{ GEMINI_API_KEY: "g-1", GOOGLE_API_KEY: "g-2" }, "g-1"],
    [{ GEMINI_API_KEY: " ", GOOGLE_API_KEY: "g-2" }, "g-2"],
    [{ GOOGLE_API_KEY: "g-2" }, "g-2"],
  ])("takes the first key of %j", async (env, key) => {
    const { sent } = await ask(geminiProvider, {}, env);
    expect(sent[0]?.headers["x-goog-api-key"]).toBe(key);
  });

  it("asks for the usual key where there is none, and shows which ones would do", async () => {
    const { sent, error } = await ask(geminiProvider, {}, {});
    expect(sent).toEqual([]);
    expect(error?.message).toBe("Gemini API key is invalid or missing. Set GEMINI_API_KEY environment variable.");
    expect(inspect(geminiProvider, {}, { GOOGLE_API_KEY: "g" })).toEqual({
      baseUrl: "https://generativelanguage.googleapis.com/v1beta",
      keys: [
        { env: "GEMINI_API_KEY", isSet: false },
        { env: "GOOGLE_API_KEY", isSet: true },
      ],
      isKeyNeeded: true,
      probe: {
        url: "https://generativelanguage.googleapis.com/v1beta/models",
        headers: { "x-goog-api-key": "g" },
      },
    });
    expect(inspect(geminiProvider, { api_key_env: "MINE" }, { GOOGLE_API_KEY: "g" })?.keys).toEqual([
      { env: "MINE", isSet: false },
    ]);
  });

  it.each([
    ["http://127.0.0.1:1", "/v1beta"],
    ["http://127.0.0.1:1/v1", "/v1"],
    ["http://127.0.0.1:1/v1alpha/", "/v1alpha"],
  ])("takes the version of %s", async (base, path) => {
    const { sent } = await ask(geminiProvider, { base_url: base }, { GEMINI_API_KEY: "g" });
    expect(sent[0]?.url).toBe(`http://127.0.0.1:1${path}/models/m:generateContent`);
  });

  it.each([
    ["models/gemini-3-flash", "models/gemini-3-flash"],
    ["tunedModels/mine-1", "tunedModels/mine-1"],
    ["a?b#c d", "models/a%3Fb%23c%20d"],
  ])("finds the model %s", async (model, path) => {
    const { sent } = await ask(geminiProvider, {}, { GEMINI_API_KEY: "g" }, { model });
    expect(sent[0]?.url).toBe(`https://generativelanguage.googleapis.com/v1beta/${path}:generateContent`);
  });
});

describe("cohere", () => {
  it.each([
    [{ CO_API_KEY: "c-1", COHERE_API_KEY: "c-2" }, "c-1"],
    [{ COHERE_API_KEY: "c-2" }, "c-2"],
  ])("sends the first key of %j", async (env, key) => {
    const { sent } = await ask(cohereProvider, {}, env);
    expect(sent[0]?.url).toBe("https://api.cohere.com/v2/chat");
    expect(sent[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
  });

  it.each(["http://127.0.0.1:1", "http://127.0.0.1:1/v1", "http://127.0.0.1:1/v2/"])(
    "takes the address %s",
    async (base) => {
      const { sent } = await ask(cohereProvider, { base_url: base }, { CO_API_KEY: "c" });
      expect(sent[0]?.url).toBe("http://127.0.0.1:1/v2/chat");
    },
  );

  it("asks for the key that Cohere's own libraries read", async () => {
    const { error } = await ask(cohereProvider, {}, {});
    expect(error?.message).toBe("Cohere API key is invalid or missing. Set CO_API_KEY environment variable.");
    expect(inspect(cohereProvider, {}, { CO_API_KEY: "c" })?.probe).toEqual({
      url: "https://api.cohere.com/v1/models",
      headers: { authorization: "Bearer c" },
    });
  });
});
