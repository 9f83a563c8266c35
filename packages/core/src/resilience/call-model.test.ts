import { describe, expect, it } from "vitest";
import { kindlmError } from "../errors/kindlm-error.js";
import { defaultRequestTimeouts, type ProviderResponse } from "../providers/provider.js";
import { failure, success, type Result } from "../result.js";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { createBudget } from "./budget.js";
import type { CallListener } from "./call-endpoint.js";
import { callModel, type ModelQuestion } from "./call-model.js";
import { createCircuitBreaker } from "./circuit-breaker/create-circuit-breaker.js";
import { Limiter } from "./limiter/limiter.js";
import type { ModelRoute, RouteTarget } from "./model-route.js";
import { retryPresets, type RetryPolicy } from "./retry-policy.js";

const question: ModelQuestion = {
  messages: [],
  tools: [],
  origin: { caseId: "s/t@m", trial: 1, turn: 1, seed: 1 },
};
const answered: ProviderResponse = {
  text: "hello",
  toolCalls: [],
  finishReason: { unified: "stop", raw: "stop" },
  usage: null,
  modelServed: null,
  requestId: "r-1",
  latencyMs: 5,
};
const down = kindlmError("PROVIDER_NETWORK_ERROR", "Failed to connect", { details: { provider: "p" } });

type Reply = Result<ProviderResponse> | ((abort: () => void) => Result<ProviderResponse>);

interface World {
  policy?: RetryPolicy;
  /** What each model that stands in answers, by its id. */
  fallbacks?: Readonly<Record<string, Reply[]>>;
  from?: number;
  /** Failures that open the circuit; none when left out. */
  failures?: number;
  maxCostUsd?: number;
}

function call(
  replies: Reply[],
  { policy = retryPresets.default, fallbacks = {}, from = 0, maxCostUsd, failures }: World = {},
) {
  const clock = createManualClock({ jump: true });
  const heard: string[] = [];
  const controller = new AbortController();
  const targetOf = (model: string, own: Reply[]): RouteTarget => ({
    endpoint: {
      model,
      servedAs: "served",
      lane: model,
      provider: `provider of ${model}`,
      adapter: {
        complete: () => {
          const reply = own.shift();
          if (reply === undefined) throw new Error("one request too many");
          return Promise.resolve(typeof reply === "function" ? reply(() => controller.abort()) : reply);
        },
      },
      limiter: new Limiter({ concurrency: 8, expectedCalls: 8, requestsPerMinute: null, tokensPerMinute: null }, clock),
      breaker: failures === undefined ? null : createCircuitBreaker(() => ({ failures, resetMs: 60_000 }), clock),
      countsTokens: false,
    },
    policy,
    params: {},
    timeouts: defaultRequestTimeouts,
    stream: false,
    pricing: null,
  });
  const route: ModelRoute = [
    targetOf("main", replies),
    ...Object.entries(fallbacks).map(([model, own]) => targetOf(model, own)),
  ];
  const listener: CallListener = {
    queueStarted: ({ lane }) => heard.push(`queue ${lane}`),
    queueEnded: ({ lane }) => heard.push(`queued ${lane}`),
    attemptStarted: (attempt, { provider }) => heard.push(`attempt ${attempt} ${provider.replace("provider of ", "")}`),
    attemptEnded: ({ attempt, error }) => heard.push(`ended ${attempt} ${error?.code ?? "ok"}`),
    retryStarted: (_model, { attempt, retry, retries, waitMs }) =>
      heard.push(`wait ${attempt} ${waitMs}${retry === attempt ? "" : ` (retry ${retry} of ${retries})`}`),
    retryEnded: (attempt) => heard.push(`waited ${attempt}`),
    fellBack: (one, other, error) => heard.push(`${one} to ${other} after ${error.code}`),
  };
  const budget = createBudget(maxCostUsd ?? null);
  const ports = { budget, clock, random: () => 0, listener };
  const finished = callModel(question, route, from, ports, { signal: controller.signal });
  return { finished, heard, clock, limiter: route[0].endpoint.limiter };
}

describe("callModel", () => {
  it("asks once when the first attempt works", async () => {
    const { finished, heard } = call([success(answered)]);
    const { result, attempts } = await finished;
    expect(result).toEqual(success(answered));
    expect(attempts).toEqual([
      {
        attempt: 1,
        provider: "provider of main",
        startedAt: 0,
        latencyMs: 5,
        error: null,
        requestId: "r-1",
        waitedMs: null,
      },
    ]);
    expect(heard).toEqual(["attempt 1 main", "ended 1 ok"]);
  });

  it("backs off between attempts and tells so, every start with its end", async () => {
    const { finished, heard, clock } = call([failure(down), failure(down), success(answered)]);
    const { result, attempts } = await finished;
    expect(result.success).toBe(true);
    expect(clock.sleeps).toEqual([1_000, 2_000]);
    expect(attempts.map(({ waitedMs }) => waitedMs)).toEqual([1_000, 2_000, null]);
    expect(heard).toEqual([
      "attempt 1 main",
      "ended 1 PROVIDER_NETWORK_ERROR",
      "wait 1 1000",
      "waited 1",
      "attempt 2 main",
      "ended 2 PROVIDER_NETWORK_ERROR",
      "wait 2 2000",
      "waited 2",
      "attempt 3 main",
      "ended 3 ok",
    ]);
  });

  it("ends with the last error and the number of attempts", async () => {
    const { finished } = call([failure(down), failure(down), failure(down)]);
    const { result } = await finished;
    expect(result).toMatchObject({
      success: false,
      error: { code: "PROVIDER_NETWORK_ERROR", details: { attempts: 3 } },
    });
  });

  it("says once what failed when the circuit opens on it", async () => {
    const { result } = await call([failure(down), failure(down)], { failures: 2 }).finished;
    const message = "Failed to connect. Not retried: The circuit breaker of p opened after 2 failed calls in a row.";
    expect(result).toMatchObject({ success: false, error: { code: "PROVIDER_NETWORK_ERROR", message } });
  });

  it("says so when a hint is longer than allowed, and does not wait", async () => {
    const hinted = kindlmError("PROVIDER_RATE_LIMIT", "Rate limit hit.", {
      details: { provider: "p", retryAfterMs: 86_400_000 },
    });
    const { finished, clock, limiter } = call([failure(hinted)]);
    const { result } = await finished;
    expect(clock.sleeps).toEqual([]);
    // Neither do the calls to this model that come after it.
    expect(limiter?.settled.lanes).toEqual([]);
    const reason = "the server asks to wait 24 h 0 min, more than the 1 min that max_retry_after allows";
    expect(result).toMatchObject({
      success: false,
      error: { message: `Rate limit hit. Not retried: ${reason}.`, details: { notRetried: reason } },
    });
  });

  it("makes no further attempt once it is aborted", async () => {
    const abortAndFail = (abort: () => void) => {
      abort();
      return failure(down);
    };
    const { finished, clock } = call([abortAndFail]);
    const { attempts } = await finished;
    expect(attempts).toHaveLength(1);
    expect(clock.sleeps).toEqual([]);
  });

  it("says where an error happened", async () => {
    const named = kindlmError("PROVIDER_API_ERROR", "no", {
      details: { provider: "p", status: 400, requestId: "r-9" },
    });
    const { result } = await call([failure(down), failure(named)]).finished;
    const origin = { caseId: "s/t@m", trial: 1, turn: 1, attempt: 2, requestId: "r-9" };
    expect(result).toMatchObject({ success: false, error: { code: "PROVIDER_API_ERROR", origin } });
  });

  it("makes no call that there is no money for", async () => {
    const { finished, heard } = call([success(answered)], { maxCostUsd: 0 });
    expect((await finished).result).toMatchObject({ error: { code: "ENGINE_BUDGET_EXCEEDED" } });
    expect(heard).toEqual([]);
  });
});

describe("a fallback", () => {
  const once = { ...retryPresets.default, maxAttempts: 1 };

  it("answers when the model is down, and numbers its attempts on", async () => {
    const { finished, heard } = call([failure(down)], { policy: once, fallbacks: { other: [success(answered)] } });
    const { result, attempts, position } = await finished;
    expect(result.success).toBe(true);
    expect(position).toBe(1);
    expect(attempts.map(({ attempt, provider }) => [attempt, provider])).toEqual([
      [1, "provider of main"],
      [2, "provider of other"],
    ]);
    expect(heard).toEqual([
      "attempt 1 main",
      "ended 1 PROVIDER_NETWORK_ERROR",
      "main to other after PROVIDER_NETWORK_ERROR",
      "attempt 2 other",
      "ended 2 ok",
    ]);
  });

  it("counts its own retries from one", async () => {
    const { finished, heard } = call([failure(down), failure(down), failure(down)], {
      fallbacks: { other: [failure(down), success(answered)] },
    });
    expect((await finished).position).toBe(1);
    expect(heard.filter((line) => line.startsWith("wait "))).toEqual([
      "wait 1 1000",
      "wait 2 2000",
      "wait 4 1000 (retry 1 of 2)",
    ]);
  });

  it("goes on where the conversation is", async () => {
    const { finished, heard } = call([], { fallbacks: { other: [success(answered)] }, from: 1 });
    expect((await finished).position).toBe(1);
    expect(heard).toEqual(["attempt 1 other", "ended 1 ok"]);
  });

  it("leaves the error to the model that was asked, with what became of the others", async () => {
    const fallbacks = { second: [failure(down)], third: [failure(kindlmError("PROVIDER_AUTH_ERROR", "No key."))] };
    const { result } = await call([failure(down)], { policy: once, fallbacks }).finished;
    expect(result).toMatchObject({
      error: {
        code: "PROVIDER_NETWORK_ERROR",
        message: "Failed to connect (fallback second: Failed to connect; fallback third: No key)",
        details: { fallbacks: [{ model: "second" }, { model: "third", code: "PROVIDER_AUTH_ERROR" }] },
      },
    });
  });

  it.each([
    ["PROVIDER_AUTH_ERROR", {}],
    ["PROVIDER_API_ERROR", { status: 400 }],
    ["PROVIDER_API_ERROR", { status: 429, quota: true }],
    ["PROVIDER_NETWORK_ERROR", { partialText: "Hel" }],
  ] as const)("is not asked after %s %j", async (code, details) => {
    const error = kindlmError(code, "no", { details: { provider: "p", retryable: false, ...details } });
    const { finished, heard } = call([failure(error)], { fallbacks: { other: [success(answered)] } });
    expect((await finished).result).toMatchObject({ error: { code } });
    expect(heard).toHaveLength(2);
  });

  it.each([
    ["PROVIDER_RATE_LIMIT", {}],
    ["PROVIDER_TIMEOUT", {}],
    ["PROVIDER_API_ERROR", { status: 500 }],
    ["PROVIDER_API_ERROR", { status: 503 }],
  ] as const)("is asked after %s %j", async (code, details) => {
    const error = kindlmError(code, "no", { details: { provider: "p", ...details } });
    const { finished } = call([failure(error)], { policy: once, fallbacks: { other: [success(answered)] } });
    expect((await finished).position).toBe(1);
  });
});

describe("what was admitted", () => {
  /** Two calls to one model that takes one at a time; `reply` answers the first. */
  function twoCalls({ failures = 5, maxCostUsd = null }: { failures?: number; maxCostUsd?: number | null }) {
    const clock = createManualClock();
    const limiter = new Limiter(
      { concurrency: 1, expectedCalls: 1, requestsPerMinute: null, tokensPerMinute: null },
      clock,
    );
    const breaker = createCircuitBreaker(() => ({ failures, resetMs: 60_000 }), clock);
    const budget = createBudget(maxCostUsd);
    let requests = 0;
    let reply: (result: Result<ProviderResponse>) => void = () => {};
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const adapter = {
      complete: () => {
        requests += 1;
        begin();
        return new Promise<Result<ProviderResponse>>((resolve) => {
          reply = resolve;
        });
      },
    };
    const endpoint = {
      model: "main",
      servedAs: "served",
      lane: "main",
      provider: "p",
      adapter,
      limiter,
      breaker,
      countsTokens: false,
    };
    const policy = { ...retryPresets.default, maxAttempts: 1 };
    const stop = { endpoint, policy, params: {}, timeouts: defaultRequestTimeouts, stream: false, pricing: null };
    const nothing = (): void => {};
    const heard: string[] = [];
    const listener = {
      queueStarted: ({ lane }: { lane: string }) => void heard.push(`waits for ${lane}`),
      queueEnded: ({ lane }: { lane: string }) => void heard.push(`has room at ${lane}`),
      attemptStarted: () => void heard.push("asks"),
      attemptEnded: nothing,
      retryStarted: nothing,
      retryEnded: nothing,
      fellBack: nothing,
    };
    const { signal } = new AbortController();
    const ask = () => callModel(question, [stop], 0, { budget, clock, random: () => 0, listener }, { signal });
    return {
      clock,
      first: ask(),
      second: ask(),
      ask,
      begun,
      answer: (result: Result<ProviderResponse>) => reply(result),
      requests: () => requests,
      budget,
      heard,
      openCircuit: () => {
        const entered = breaker.enter("main");
        if (entered.admitted) breaker.leave(entered.admission, "failed", down);
      },
    };
  }

  it("reports that it waits for room, and the end of the wait before it asks", async () => {
    const { begun, first, second, answer, heard, clock } = twoCalls({});
    await begun;
    clock.advance(70);
    expect(heard).toEqual(["asks", "waits for main"]);
    answer(success(answered));
    expect((await first).attempts).toEqual([expect.not.objectContaining({ queuedMs: expect.anything() })]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual(["asks", "waits for main", "has room at main", "asks"]);
    answer(success(answered));
    expect((await second).attempts).toMatchObject([{ startedAt: 70, queuedMs: 70 }]);
    expect(heard).toHaveLength(4);
  });

  it("is refused all the same when the circuit opened while it waited", async () => {
    const { begun, first, second, answer, requests, heard } = twoCalls({ failures: 1 });
    await begun;
    answer(failure(down));
    expect((await first).result).toMatchObject({ error: { code: "PROVIDER_NETWORK_ERROR" } });
    expect(await second).toMatchObject({ result: { error: { code: "PROVIDER_CIRCUIT_OPEN" } }, attempts: [] });
    expect(requests()).toBe(1);
    expect(heard).toEqual(["asks", "waits for main", "has room at main"]);
  });

  it("is refused all the same when the money was spent while it waited", async () => {
    const { begun, first, second, answer, requests, budget } = twoCalls({ maxCostUsd: 1 });
    await begun;
    budget.spend(1);
    answer(success({ ...answered }));
    expect((await first).result.success).toBe(true);
    expect((await second).result).toMatchObject({ error: { code: "ENGINE_BUDGET_EXCEEDED" } });
    expect(requests()).toBe(1);
  });

  it("need not wait for its turn to be refused", async () => {
    const broke = twoCalls({ maxCostUsd: 1 });
    await broke.begun;
    broke.budget.spend(1);
    expect((await broke.ask()).result).toMatchObject({ error: { code: "ENGINE_BUDGET_EXCEEDED" } });
    const open = twoCalls({ failures: 1 });
    await open.begun;
    open.openCircuit();
    expect((await open.ask()).result).toMatchObject({ error: { code: "PROVIDER_CIRCUIT_OPEN" } });
  });
});
