import type { HttpReply } from "./transport.js";

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `RetryInfo` of Google's error model, as JSON: `"retryDelay": "34.07s"`. */
const retryInfo = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;

/** `Please try again in 1.2s`, `try again in 6m0s`, `try again in 20 seconds`. */
const spokenDelay =
  /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?\s*(?:milliseconds?|seconds?|minutes?|hours?|ms|s|m|h)\s*)+)/i;

/** `x-ratelimit-reset-requests` and its like, `ratelimit-reset` of the IETF's draft, `ratelimitbysize-reset` of Mistral. */
const resetHeader = /^(?:x-)?ratelimit(?:bysize)?-reset/;

/**
 * How long a server asks to wait, in milliseconds from now; null when it does not say. The most precise source wins:
 * `retry-after-ms`, `Retry-After` (seconds or an HTTP date), `RetryInfo`, the message, headers of the rate limit.
 */
export function retryHintMs(headers: HttpReply["headers"], body: string, nowMs: number): number | null {
  return (
    numberOf(headers["retry-after-ms"]) ??
    retryAfter(headers["retry-after"], nowMs) ??
    secondsIn(retryInfo.exec(body)?.[1]) ??
    spoken(body) ??
    resetOf(headers, nowMs)
  );
}

/** Reads `1m30s`, `20ms`, `6m0s`, `1.5s`; null for anything else. */
export function parseGoDuration(text: string): number | null {
  const trimmed = text.trim();
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(trimmed)) return null;
  let total = 0;
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    total += Number(amount) * (unitMs[unit ?? ""] ?? 0);
  }
  return total;
}

function retryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const seconds = numberOf(value);
  if (seconds !== null) return seconds * 1_000;
  // Date.parse takes almost anything, "12 monkeys" included; an HTTP date starts with the name of the day.
  const date = /^[A-Z][a-z]{2,8}, ?/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

function spoken(body: string): number | null {
  const found = spokenDelay.exec(body)?.[1];
  if (found === undefined) return null;
  const compact = found
    .toLowerCase()
    .replaceAll(/milliseconds?/g, "ms")
    .replaceAll(/(second|minute|hour)s?/g, (word) => word.charAt(0))
    .replaceAll(/\s+/g, "");
  return parseGoDuration(compact);
}

/** Of several limits, the ones that are used up decide, and of those the slowest. */
function resetOf(headers: HttpReply["headers"], nowMs: number): number | null {
  let slowest: number | null = null;
  for (const name in headers) {
    if (!resetHeader.test(name)) continue;
    const remaining = numberOf(headers[name.replace("reset", "remaining")]);
    if (remaining !== null && remaining > 0) continue;
    const wait = resetMs(headers[name] ?? "", nowMs);
    if (wait !== null && (slowest === null || wait > slowest)) slowest = wait;
  }
  return slowest;
}

/** A duration, or a plain number: seconds to wait, or a time since the epoch in seconds or milliseconds. */
function resetMs(value: string, nowMs: number): number | null {
  const amount = numberOf(value);
  if (amount === null) return parseGoDuration(value);
  if (amount > 1e11) return Math.max(0, amount - nowMs);
  if (amount > 1e8) return Math.max(0, amount * 1_000 - nowMs);
  return amount * 1_000;
}

function secondsIn(text: string | undefined): number | null {
  const seconds = numberOf(text);
  return seconds === null ? null : seconds * 1_000;
}

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : null;
}
