import { describe, expect, it } from "vitest";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { ProviderRequest, ProviderResponse } from "../providers/provider.js";
import { failure, success, type Result } from "../result.js";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { callModel } from "./call-model.js";
import { retryPresets, type RetryPolicy } from "./retry-policy.js";

const request: ProviderRequest = {
  messages: [],
  tools: [],
  params: {},
  origin: { caseId: "s/t@m", trial: 1, turn: 1, seed: 1 },
};
const answer: ProviderResponse = {
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

function call(replies: Reply[], policy: RetryPolicy) {
  const clock = createManualClock({ jump: true });
  const heard: string[] = [];
  const controller = new AbortController();
  const adapter = {
    complete: () => {
      const reply = replies.shift();
      if (reply === undefined) throw new Error("one request too many");
      return Promise.resolve(typeof reply === "function" ? reply(() => controller.abort()) : reply);
    },
  };
  const listener = {
    attemptStarted: (attempt: number) => heard.push(`attempt ${attempt}`),
    attemptEnded: ({ attempt, error }: { attempt: number; error: KindlmError | null }) =>
      heard.push(`ended ${attempt} ${error?.code ?? "ok"}`),
    retryStarted: (attempt: number, waitMs: number) => heard.push(`wait ${attempt} ${waitMs}`),
    retryEnded: (attempt: number) => heard.push(`waited ${attempt}`),
  };
  const ports = { adapter, policy, clock, random: () => 0, listener };
  return { finished: callModel(request, ports, { signal: controller.signal }), heard, clock };
}

describe("callModel", () => {
  it("asks once when the first attempt works", async () => {
    const { finished, heard } = call([success(answer)], retryPresets.default);
    const { result, attempts } = await finished;
    expect(result).toEqual(success(answer));
    expect(attempts).toEqual([{ attempt: 1, latencyMs: 5, error: null, requestId: "r-1", waitedMs: null }]);
    expect(heard).toEqual(["attempt 1", "ended 1 ok"]);
  });

  it("backs off between attempts and tells so, every start with its end", async () => {
    const { finished, heard, clock } = call([failure(down), failure(down), success(answer)], retryPresets.default);
    const { result, attempts } = await finished;
    expect(result.success).toBe(true);
    expect(clock.sleeps).toEqual([1_000, 2_000]);
    expect(attempts.map(({ waitedMs }) => waitedMs)).toEqual([1_000, 2_000, null]);
    expect(heard).toEqual([
      "attempt 1",
      "ended 1 PROVIDER_NETWORK_ERROR",
      "wait 1 1000",
      "waited 1",
      "attempt 2",
      "ended 2 PROVIDER_NETWORK_ERROR",
      "wait 2 2000",
      "waited 2",
      "attempt 3",
      "ended 3 ok",
    ]);
  });

  it("ends with the last error and the number of attempts", async () => {
    const { finished } = call([failure(down), failure(down), failure(down)], retryPresets.default);
    const { result } = await finished;
    expect(result).toMatchObject({
      success: false,
      error: { code: "PROVIDER_NETWORK_ERROR", details: { attempts: 3 } },
    });
  });

  it("says so when a hint is longer than allowed, and does not wait", async () => {
    const hinted = kindlmError("PROVIDER_RATE_LIMIT", "Rate limit hit.", {
      details: { provider: "p", retryAfterMs: 86_400_000 },
    });
    const { finished, clock } = call([failure(hinted)], retryPresets.default);
    const { result } = await finished;
    expect(clock.sleeps).toEqual([]);
    const reason = "the server asks to wait 24 h 0 min, more than the 1 min that max_retry_after allows";
    expect(result).toMatchObject({
      success: false,
      error: { message: `Rate limit hit. Not tried again: ${reason}.`, details: { notRetried: reason } },
    });
  });

  it("makes no further attempt once it is aborted", async () => {
    const abortAndFail = (abort: () => void) => {
      abort();
      return failure(down);
    };
    const { finished, clock } = call([abortAndFail], retryPresets.default);
    const { attempts } = await finished;
    expect(attempts).toHaveLength(1);
    expect(clock.sleeps).toEqual([]);
  });
});
