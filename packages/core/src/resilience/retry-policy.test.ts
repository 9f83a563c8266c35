import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shortenDeadlines } from "../__fixtures__/shorten-deadlines.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { compileRegex } from "../matchers/safe-regex.js";
import { backoffMs, decideRetry, retryPresets, type RetryPolicy } from "./retry-policy.js";

const limited = kindlmError("PROVIDER_RATE_LIMIT", "limited", { details: { provider: "p" } });
const pattern = (source: string) => {
  const compiled = compileRegex(source, "i");
  if (!compiled.success) throw new Error(compiled.error);
  return compiled.data;
};
const ask = (error: KindlmError = limited, more: object = {}) =>
  decideRetry({ error, attempt: 1, policy: retryPresets.default, elapsedMs: 0, random: () => 0, ...more });

describe("decideRetry", () => {
  it.each([
    [kindlmError("PROVIDER_RATE_LIMIT", "x"), true],
    [kindlmError("PROVIDER_TIMEOUT", "x"), true],
    [kindlmError("PROVIDER_NETWORK_ERROR", "x"), true],
    [kindlmError("PROVIDER_AUTH_ERROR", "x"), false],
    [kindlmError("PROVIDER_CIRCUIT_OPEN", "x"), false],
    [kindlmError("PROVIDER_API_ERROR", "x"), false],
    [kindlmError("ENGINE_ABORTED", "x"), false],
    [kindlmError("UNKNOWN_ERROR", "x"), false],
  ])("$code is tried again: %s", (error, retry) => {
    expect(ask(error).retry).toBe(retry);
  });

  it.each([
    [{ status: 500 }, "default", false],
    [{ status: 500 }, "aggressive", true],
    [{ status: 500 }, "production", true],
    [{ status: 500, retryable: false }, "production", false],
    [{ status: 503, retryable: true }, "default", true],
    [{ status: 429, quota: true, retryable: true }, "aggressive", false],
    [{ status: 503, retryable: true }, "disabled", false],
  ] as const)("an API error with %j under %s is tried again: %s", (details, preset, retry) => {
    const error = kindlmError("PROVIDER_API_ERROR", "x", { details: { provider: "p", ...details } });
    expect(ask(error, { policy: retryPresets[preset] }).retry).toBe(retry);
  });

  it("lets a pattern make an API error retryable", () => {
    const error = kindlmError("PROVIDER_API_ERROR", "upstream hiccup", { details: { provider: "p", status: 400 } });
    expect(ask(error, { policy: { ...retryPresets.default, patterns: [pattern("hiccup")] } }).retry).toBe(true);
    const inBody = kindlmError("PROVIDER_API_ERROR", "x", { details: { provider: "p", body: "upstream hiccup" } });
    expect(ask(inBody, { policy: { ...retryPresets.default, patterns: [pattern("hiccup")] } }).retry).toBe(true);
  });

  it("is not stalled by a pattern that backtracks without end", () => {
    shortenDeadlines();
    const body = `${"a".repeat(60)}!`;
    const error = kindlmError("PROVIDER_API_ERROR", "x", { details: { provider: "p", status: 400, body } });
    const endless = [pattern("(a+)+$")];
    expect(ask(error, { policy: { ...retryPresets.default, patterns: endless } }).retry).toBe(false);
    const known = [...endless, pattern("a!")];
    expect(ask(error, { policy: { ...retryPresets.default, patterns: known } }).retry).toBe(true);
  });

  it("waits as long as the server asks, without jitter", () => {
    const hinted = kindlmError("PROVIDER_RATE_LIMIT", "x", { details: { provider: "p", retryAfterMs: 7_000 } });
    expect(ask(hinted, { random: () => 0.9 })).toEqual({ retry: true, waitMs: 7_000, because: "hint" });
  });

  it("waits not at all where nothing is to grow, whatever the multiplier", () => {
    const policy = { ...retryPresets.default, initialDelayMs: 0, multiplier: 1e300 };
    expect(backoffMs(5, policy, 0.5)).toBe(0);
  });

  it("gives up at once when the server asks for more than max_retry_after", () => {
    const hinted = kindlmError("PROVIDER_RATE_LIMIT", "x", { details: { provider: "p", retryAfterMs: 86_400_000 } });
    expect(ask(hinted)).toEqual({
      retry: false,
      note: "the server asks to wait 24 h 0 min, more than the 1 min that max_retry_after allows",
    });
  });

  it("stops after the last attempt and when the total is used up", () => {
    expect(ask(limited, { attempt: 2 }).retry).toBe(true);
    expect(ask(limited, { attempt: 3 }).retry).toBe(false);
    const policy = { ...retryPresets.default, totalMs: 1_500 };
    expect(ask(limited, { policy, elapsedMs: 400 }).retry).toBe(true);
    expect(ask(limited, { policy, elapsedMs: 600 }).retry).toBe(false);
  });
});

describe("backoffMs", () => {
  it("follows the numbers of each preset", () => {
    const schedule = (policy: RetryPolicy) => [1, 2, 3, 4].map((attempt) => backoffMs(attempt, policy, 0));
    expect(schedule(retryPresets.default)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(schedule(retryPresets.conservative)).toEqual([2_000, 4_000, 8_000, 16_000]);
    expect(schedule(retryPresets.aggressive)).toEqual([500, 750, 1_125, 1_687.5]);
    expect(schedule(retryPresets.production)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(backoffMs(20, retryPresets.default, 0)).toBe(30_000);
    expect(backoffMs(20, retryPresets.production, 1)).toBe(24_000);
  });

  it("stays within its bounds and never shrinks with the attempt", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.double({ min: 1, max: 5, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, random, multiplier, jitter) => {
          const policy = { ...retryPresets.default, multiplier, jitter };
          const wait = backoffMs(attempt, policy, random);
          const floor = backoffMs(attempt, policy, 0);
          expect(wait).toBeGreaterThanOrEqual(floor);
          expect(wait).toBeLessThanOrEqual(floor * (1 + jitter) + 1e-6);
          expect(floor).toBeLessThanOrEqual(policy.maxDelayMs);
          expect(backoffMs(attempt + 1, policy, 0)).toBeGreaterThanOrEqual(floor);
        },
      ),
    );
  });
});
