import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseGoDuration, retryHintMs } from "./retry-hints.js";

const now = Date.parse("2026-03-01T12:00:00Z");

describe("retryHintMs", () => {
  it.each<[string, Record<string, string>, string, number | null]>([
    ["nothing", {}, "", null],
    ["seconds", { "retry-after": "30" }, "", 30_000],
    ["a fraction of a second", { "retry-after": "0.5" }, "", 500],
    ["zero", { "retry-after": "0" }, "", 0],
    ["a date", { "retry-after": "Sun, 01 Mar 2026 12:00:20 GMT" }, "", 20_000],
    ["a date in the past", { "retry-after": "Sun, 01 Mar 2026 11:00:00 GMT" }, "", 0],
    ["words", { "retry-after": "12 monkeys" }, "", null],
    ["a negative number", { "retry-after": "-5" }, "", null],
    ["milliseconds", { "retry-after-ms": "1500" }, "", 1_500],
    ["milliseconds before seconds", { "retry-after-ms": "1500", "retry-after": "2" }, "", 1_500],
    ["a duration of requests", { "x-ratelimit-reset-requests": "1m30s" }, "", 90_000],
    ["a duration of tokens", { "x-ratelimit-reset-tokens": "20ms" }, "", 20],
    ["the slower of two", { "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" }, "", 360_000],
    [
      "the limit that is used up",
      {
        "x-ratelimit-remaining-requests": "99",
        "x-ratelimit-reset-requests": "10m",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "2s",
      },
      "",
      2_000,
    ],
    [
      "the limit by size that is used up",
      { "ratelimitbysize-remaining": "0", "ratelimitbysize-reset": "12", "x-ratelimit-reset-req-minute": "3" },
      "",
      12_000,
    ],
    [
      "no limit by size with something left",
      { "ratelimitbysize-remaining": "9", "ratelimitbysize-reset": "12" },
      "",
      null,
    ],
    ["the reset of the IETF's draft", { "ratelimit-reset": "50" }, "", 50_000],
    ["plain seconds to the reset", { "x-ratelimit-reset": "7" }, "", 7_000],
    ["the reset in epoch seconds", { "x-ratelimit-reset": String(now / 1_000 + 9) }, "", 9_000],
    ["the reset in epoch milliseconds", { "x-ratelimit-reset": String(now + 9) }, "", 9],
    ["RetryInfo", {}, '{"error":{"details":[{"@type":"…RetryInfo","retryDelay":"34.07s"}]}}', 34_070],
    ["OpenAI's sentence", {}, "Limit 3, Used 3. Please try again in 1.2s. Visit …", 1_200],
    ["a long sentence", {}, "Please try again in 6m0s.", 360_000],
    ["a spoken delay", {}, "Rate limited, retry after 20 seconds", 20_000],
    ["a sentence without a number", {}, "Please try again in a moment.", null],
    ["a header before the sentence", { "retry-after": "3" }, "try again in 9s", 3_000],
    ["the sentence before a reset", { "x-ratelimit-reset-requests": "1m" }, "try again in 9s", 9_000],
  ])("reads %s", (_name, headers, body, expected) => {
    expect(retryHintMs(headers, body, now)).toBe(expected);
  });

  it("is null or a finite time that is not negative, whatever the server writes", () => {
    const header = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((d) => d.toUTCString()),
    );
    fc.assert(
      fc.property(header, header, header, fc.string(), (after, afterMs, reset, body) => {
        const headers = { "retry-after": after, "retry-after-ms": afterMs, "x-ratelimit-reset-tokens": reset };
        const hint = retryHintMs(headers, body, now);
        expect(hint === null || (Number.isFinite(hint) && hint >= 0)).toBe(true);
      }),
    );
  });
});

describe("parseGoDuration", () => {
  it.each([
    ["1m30s", 90_000],
    ["1h2m3.5s", 3_723_500],
    ["20ms", 20],
    ["1d", 86_400_000],
    ["", null],
    ["20", null],
    ["s20", null],
    ["1m 30s", null],
  ])("reads %j as %j", (text, expected) => {
    expect(parseGoDuration(text)).toBe(expected);
  });
});
