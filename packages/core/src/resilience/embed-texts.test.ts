import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { defaultRequestTimeouts, type EmbedRequest, type EmbedResponse } from "../providers/provider.js";
import { failure, success, type Result } from "../result.js";
import { createBudget } from "./budget.js";
import { embedTexts } from "./embed-texts.js";
import type { RouteTarget } from "./model-route.js";
import { retryPresets } from "./retry-policy.js";

const origin = { caseId: "s/t@m", trial: 1, turn: 2, seed: 1 };
const down = kindlmError("PROVIDER_NETWORK_ERROR", "Failed to connect", { details: { provider: "p" } });
const answered: EmbedResponse = {
  vectors: [[1, 0]],
  usage: { inputTokens: 3, outputTokens: 0 },
  modelServed: null,
  requestId: "r-1",
  latencyMs: 5,
};

function targetOf(model: string, replies: Result<EmbedResponse>[] | null, asked: EmbedRequest[] = []): RouteTarget {
  const embed = (request: EmbedRequest): Promise<Result<EmbedResponse>> => {
    asked.push(request);
    return Promise.resolve(replies?.shift() ?? failure(down));
  };
  const complete = (): Promise<never> => Promise.reject(new Error("not asked for an answer"));
  return {
    endpoint: {
      model,
      servedAs: "served",
      lane: model,
      provider: "p",
      adapter: replies === null ? { complete } : { complete, embed },
      limiter: null,
      breaker: null,
      countsTokens: true,
    },
    policy: retryPresets.default,
    params: { temperature: 0, extra_body: { dimensions: 2 } },
    timeouts: defaultRequestTimeouts,
    stream: true,
    pricing: null,
  };
}

function call(route: readonly [RouteTarget, ...RouteTarget[]]) {
  const clock = createManualClock({ jump: true });
  const ignore = (): void => {};
  const listener = {
    queueStarted: ignore,
    queueEnded: ignore,
    attemptStarted: ignore,
    attemptEnded: ignore,
    retryStarted: ignore,
    retryEnded: ignore,
    fellBack: ignore,
  };
  const ports = { budget: createBudget(null), clock, random: () => 0, listener };
  return embedTexts({ texts: ["a"], origin }, route, 0, ports, { signal: new AbortController().signal });
}

describe("embedTexts", () => {
  it("asks again by the policy, and says which try it is", async () => {
    const asked: EmbedRequest[] = [];
    const called = await call([targetOf("main", [failure(down), success(answered)], asked)]);
    expect(called).toMatchObject({
      result: success(answered),
      position: 0,
      attempts: [{ error: down }, { error: null }],
    });
    expect(asked.map((request) => request.origin)).toEqual([origin, { ...origin, attempt: 2 }]);
    expect(asked[0]).toMatchObject({ texts: ["a"], params: { extra_body: { dimensions: 2 } } });
  });

  it("goes on to the model that stands in", async () => {
    const called = await call([targetOf("main", []), targetOf("other", [success(answered)])]);
    expect(called).toMatchObject({ result: { success: true }, position: 1 });
    expect(called.attempts).toHaveLength(4);
  });

  it("fails with a model that has no embeddings, without a second try", async () => {
    const called = await call([targetOf("chat", null)]);
    expect(called.result).toMatchObject({ error: { code: "PROVIDER_API_ERROR", message: "chat has no embeddings" } });
    expect(called.attempts).toHaveLength(1);
  });
});
