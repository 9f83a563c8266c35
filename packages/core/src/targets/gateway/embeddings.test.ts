import { isDeepStrictEqual } from "node:util";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { afterFile } from "../../__fixtures__/clean-up.js";
import { scriptedConfig } from "../../__fixtures__/scripted-config.js";
import { sendJson, startServer } from "../../__fixtures__/start-server.js";
import { knownCostOf, paidCostOf } from "../../engine/summary/known-cost.js";
import { runGatewayAgent, type AgentSetup, type GatewayAccess } from "./__fixtures__/run-gateway-agent.js";

/** A server with the embeddings of both APIs. */
const upstream = startServer(({ path, json }, response) => {
  const { tomorrow } = json as { tomorrow?: { status: number; before: number } };
  if (tomorrow !== undefined && failures < tomorrow.before) {
    failures += 1;
    const headers = { "retry-after-ms": "1" };
    return sendJson(response, tomorrow.status, { error: { message: "Not now", code: "busy" } }, headers);
  }
  if (path.includes(":batchEmbedContents")) return sendJson(response, 200, { embeddings: [{ values: [1, 2] }] });
  const data = [{ object: "embedding", index: 0, embedding: [0.5, 1] }];
  const usage = { prompt_tokens: 1_000_000, total_tokens: 1_000_000 };
  return sendJson(response, 200, { object: "list", data, model: "text-embedding-3-small", usage, tomorrow: true });
});
let failures = 0;
afterFile(async () => (await upstream).close());

type Agent = (openai: OpenAI, genai: GoogleGenAI, access: GatewayAccess) => Promise<string>;

const suites = (more = "") => `  - name: s
    target: {{target}}
    tests: [{ name: t, input: "Where?", assert: [{ type: turns, min: 0, max: 1 }]${more} }]`;

function run(agent: Agent, setup: AgentSetup) {
  failures = 0;
  return runGatewayAgent((_input, access) => {
    const { url, baseURL, apiKey } = access;
    const genai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
    return agent(new OpenAI({ baseURL, apiKey, maxRetries: 0 }), genai, access);
  }, setup);
}

async function runNative(agent: Agent, type: string, setup: Partial<AgentSetup> = {}) {
  const { url, requests } = await upstream;
  const before = requests.length;
  const config = `version: 1
providers: { up: { type: ${type}, base_url: "${url}${type === "openai" ? "/v1" : ""}", api_key_env: UP_KEY } }
models: [{ id: m, provider: up, model: chat-model, params: { temperature: 0.5 } }]
suites:
${suites()}
`;
  const ran = await run(agent, { config, env: { UP_KEY: "sk-the-real-key-0123456789" }, ...setup });
  return { ...ran, received: requests.slice(before) };
}

describe("embeddings that an agent asks for", () => {
  it("come from a scripted model, cost something, and are no turns", async () => {
    const model = "text-embedding-3-small";
    const { trial } = await run(
      async (openai, genai) => {
        const one = await openai.embeddings.create({ model, input: "red apple", user: "me" });
        const two = await openai.embeddings.create({ model, input: ["red apple", "blue"], encoding_format: "float" });
        const google = await genai.models.embedContent({
          model,
          contents: ["red apple", "blue"],
          config: { taskType: "X" },
        });
        const single = await fetch(`${openai.baseURL.replace("/v1", "/v1beta")}/models/x:embedContent`, {
          method: "POST",
          headers: { "x-goog-api-key": openai.apiKey ?? "" },
          body: JSON.stringify({ content: { parts: [{ text: "red " }, { text: "apple" }] } }),
        });
        const { embedding } = (await single.json()) as { embedding: { values: number[] } };
        const vectors = [
          ...[...one.data, ...two.data].map((vector) => vector.embedding),
          ...(google.embeddings ?? []).map(({ values }) => values ?? []),
          embedding.values,
        ];
        const known = vectors.map((vector) => [
          vector.length,
          vectors.findIndex((other) => isDeepStrictEqual(other, vector)),
        ]);
        return JSON.stringify([...known, one.usage.prompt_tokens]);
      },
      {
        config: scriptedConfig({ suites: suites() }).replace(
          "id: m,",
          "id: m, pricing: { input: 1000000, output: 0 },",
        ),
      },
    );
    expect(trial.error).toBe(null);
    expect(JSON.parse(trial.output)).toEqual([...[0, 0, 2, 0, 2, 0].map((same) => [256, same]), 3]);
    expect(trial).toMatchObject({ status: "passed", turns: [], usage: { inputTokens: 0, outputTokens: 0 } });
    expect([trial.costUsd, knownCostOf(trial), paidCostOf(trial)]).toEqual([14, 14, 14]);
    expect(trial.gateway).toMatchObject({
      passed: 0,
      translated: 4,
      changes: [{ path: "user" }, { path: "requests[].taskType" }],
      embeddings: { requests: 4, costUsd: 14, unpricedRequests: 0, usage: { inputTokens: 14, outputTokens: 0 } },
    });
  });

  it("count for the limit of the trial's cost", async () => {
    const { trial } = await run(
      async (openai) => {
        for (;;) await openai.embeddings.create({ model: "any", input: "four" });
      },
      {
        config: scriptedConfig({ suites: suites(), more: "limits: { max_trial_cost: 2 }" }).replace(
          "id: m,",
          "id: m, pricing: { input: 1000000, output: 0 },",
        ),
      },
    );
    expect(trial.error).toMatchObject({ code: "ENGINE_BUDGET_EXCEEDED", details: { limit: "max_trial_cost" } });
    expect(trial.costUsd).toBe(2);
  });

  it("pass as they are to a provider with the same API, for the model that the agent names", async () => {
    const body = `{ "model": "text-embedding-3-small", "input": [1, 2.0], "dimensions":2 }`;
    const { trial, received } = await runNative(async (openai) => {
      const headers = { authorization: `Bearer ${openai.apiKey}`, "x-mine": "7" };
      const reply = await fetch(`${openai.baseURL}/embeddings?a=1`, { method: "POST", headers, body });
      const refused = { model: "text-embedding-3-small", input: "x", tomorrow: { status: 400, before: 1 } };
      const failed = await openai.embeddings.create(refused).catch((cause: unknown) => cause);
      // The rate limit comes last: what follows one waits for its turn.
      const limited = { ...refused, tomorrow: { status: 429, before: 2 } };
      await openai.embeddings.create(limited);
      return `${await reply.text()} ${failed instanceof OpenAI.APIError ? failed.message : "?"}`;
    }, "openai");
    expect(trial.error).toBe(null);
    expect(trial.output).toContain(`"tomorrow":true} 400 Not now`);
    expect(received.map(({ path }) => path)).toEqual([
      "/v1/embeddings?a=1",
      ...Array.from({ length: 3 }, () => "/v1/embeddings"),
    ]);
    expect(received[0]?.body).toBe(body);
    expect(received[0]?.headers).toMatchObject({ "x-mine": "7", authorization: "Bearer sk-the-real-key-0123456789" });
    expect(trial).toMatchObject({
      turns: [],
      costUsd: 0.04,
      gateway: {
        passed: 3,
        translated: 0,
        changes: [],
        embeddings: { requests: 4, usage: { inputTokens: 2_000_000 } },
      },
    });
  });

  it("pass to Gemini as well", async () => {
    const { trial, received } = await runNative(async (_openai, genai) => {
      const { embeddings } = await genai.models.embedContent({ model: "gemini-embedding-001", contents: "x" });
      return JSON.stringify(embeddings);
    }, "gemini");
    expect(trial).toMatchObject({
      output: '[{"values":[1,2]}]',
      gateway: { passed: 1 },
      costUsd: null,
      unpricedRequests: 1,
    });
    expect(received[0]).toMatchObject({
      path: "/v1/models/gemini-embedding-001:batchEmbedContents",
      json: { requests: [{ model: "models/gemini-embedding-001" }] },
    });
  });

  it.each([
    ["of a provider without any", "embeddings", { input: "x" }, "anthropic"],
    ["of tokens", "input", { input: [1, 2] }, "gemini"],
    ["of another length", "dimensions", { input: "x", dimensions: 3 }, "gemini"],
  ])("end the trial if they are %s", async (_name, path, asked, type) => {
    const { trial, received } = await runNative(async (openai) => {
      await openai.embeddings.create({ model: "any", ...asked }).catch(() => null);
      return "All is well";
    }, type);
    expect(trial).toMatchObject({
      status: "errored",
      error: { code: "GATEWAY_REFUSED", details: { refused: [{ path }] } },
      gateway: { passed: 0, translated: 0, changes: [{ path }] },
    });
    expect(received).toEqual([]);
  });
});
