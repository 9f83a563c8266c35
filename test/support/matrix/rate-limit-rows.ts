import { backoff, twice, type Row, type Span, type Step } from "./row.js";
import { limited, reply, says, type Headers } from "./steps.js";

type Limited = Pick<Row, "server" | "code" | "message" | "requests" | "waits">;

const limitedRow = (step: Step, seconds: number | "unknown", waits: readonly Span[]): Limited => ({
  server: [step],
  code: "PROVIDER_RATE_LIMIT",
  message: `OpenAI rate limit hit. Retry after ${seconds} seconds.`,
  requests: 3,
  waits,
});
/** Hints that mean a wait, in seconds. */
const hinted = (headers: Headers, seconds: number, message?: string): Limited =>
  limitedRow(limited(headers, message), Math.ceil(seconds * 10) / 10, twice(seconds * 1_000));
/** Hints that mean nothing. */
const unhinted = (headers: Headers, message?: string): Limited =>
  limitedRow(limited(headers, message), "unknown", backoff);
const refusedWait = (headers: Headers, asked: string, seconds: number): Limited => ({
  ...limitedRow(limited(headers), seconds, []),
  message:
    `OpenAI rate limit hit. Retry after ${seconds} seconds. Not retried: ` +
    `the server asks to wait ${asked}, more than the 1 min that max_retry_after allows.`,
  requests: 1,
});
/** A date so far from the time of the run. */
const dated =
  (offsetMs: number): Step =>
  (scene) =>
    limited({ "retry-after": new Date(scene.clock.now() + offsetMs).toUTCString() })(scene);
const retryInfo = JSON.stringify({
  error: {
    code: 429,
    status: "RESOURCE_EXHAUSTED",
    message: "Too many requests.",
    details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" }],
  },
});
const tokens = "x-ratelimit-reset-tokens";
const requests = "x-ratelimit-reset-requests";

/** 429 in all its forms. */
export const rateLimitRows: readonly Row[] = [
  { name: "429 without a hint", ...unhinted({}) },
  { name: "Retry-After: 7", ...hinted({ "retry-after": "7" }, 7) },
  { name: "Retry-After: 1.5", ...hinted({ "retry-after": "1.5" }, 1.5) },
  { name: "Retry-After: 0", ...hinted({ "retry-after": "0" }, 0) },
  { name: "Retry-After: 60, the most that is allowed", ...hinted({ "retry-after": "60" }, 60) },
  { name: "Retry-After: 61", ...refusedWait({ "retry-after": "61" }, "1 min 1 s", 61) },
  { name: "Retry-After of a day", ...refusedWait({ "retry-after": "86400" }, "24 h 0 min", 86_400) },
  {
    name: "Retry-After as a date 20 s ahead",
    ...limitedRow(dated(20_000), "unknown", [
      [18_000, 20_000],
      [18_000, 20_000],
    ]),
    message: /^OpenAI rate limit hit\. Retry after (1[89]|20)(\.\d)? seconds\.$/,
  },
  { name: "Retry-After as a date that has passed", ...limitedRow(dated(-60_000), 0, twice(0)) },
  {
    name: "Retry-After as a date of tomorrow",
    ...limitedRow(dated(86_400_000), "unknown", []),
    message:
      /^OpenAI rate limit hit\. .*Not retried: the server asks to wait (23 h 59|24 h 0) min, more than the 1 min/,
    requests: 1,
  },
  { name: "Retry-After: -5", ...unhinted({ "retry-after": "-5" }) },
  { name: "Retry-After: soon", ...unhinted({ "retry-after": "soon" }) },
  { name: "Retry-After: 12 monkeys", ...unhinted({ "retry-after": "12 monkeys" }) },
  { name: "an empty Retry-After", ...unhinted({ "retry-after": "" }) },
  { name: "Retry-After: Infinity", ...unhinted({ "retry-after": "Infinity" }) },
  { name: "retry-after-ms: 2500", ...hinted({ "retry-after-ms": "2500" }, 2.5) },
  { name: "retry-after-ms before Retry-After", ...hinted({ "retry-after-ms": "400", "retry-after": "9" }, 0.4) },
  { name: "the reset of the requests", ...hinted({ [requests]: "6s" }, 6) },
  { name: "the slower of two resets", ...hinted({ [requests]: "20ms", [tokens]: "1m0s" }, 60) },
  {
    name: "only the reset of what is used up",
    ...hinted(
      { [requests]: "3s", "x-ratelimit-remaining-requests": "0", [tokens]: "50s", "x-ratelimit-remaining-tokens": "9" },
      3,
    ),
  },
  { name: "a reset that is no duration", ...unhinted({ [requests]: "shortly" }) },
  { name: "RetryInfo", ...limitedRow(reply(429, retryInfo), 34.1, twice(34_070)) },
  { name: "a wait in the message", ...hinted({}, 1.2, "Rate limit reached. Please try again in 1.2s.") },
  { name: "a wait of some seconds in the message", ...hinted({}, 20, "Please retry after 20 seconds.") },
  { name: "a wait in the message that has no unit", ...unhinted({}, "Please try again in a while, or in 5.") },
  {
    name: "an empty quota",
    server: [says(429, "insufficient_quota", "You exceeded your current quota.", { "retry-after": "1" })],
    code: "PROVIDER_API_ERROR",
    message: "OpenAI quota is exhausted: You exceeded your current quota.",
    requests: 1,
  },
  {
    name: "an empty quota, but try it again",
    server: [says(429, "insufficient_quota", "You exceeded your current quota.", { "x-should-retry": "true" })],
    code: "PROVIDER_API_ERROR",
    message: "OpenAI quota is exhausted: You exceeded your current quota.",
    requests: 1,
  },
  {
    name: "429 (Anthropic)",
    ...limitedRow(limited({ "retry-after": "11" }), 11, twice(11_000)),
    shape: "anthropic",
    message: "Anthropic rate limit hit. Retry after 11 seconds.",
  },
];
