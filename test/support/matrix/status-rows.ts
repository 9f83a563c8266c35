import { backoff, type Row, type Span } from "./row.js";
import { quoted, reply, says, type Headers } from "./steps.js";

const keyRefused = "OpenAI API key is invalid or missing. Set OPENAI_API_KEY environment variable.";

/** An error that is told at once. */
const fatal = (status: number, headers: Headers = {}): Pick<Row, "server" | "code" | "message" | "requests"> => ({
  server: [says(status, "some_error", "Something is wrong.", headers)],
  code: "PROVIDER_API_ERROR",
  message: quoted(status, "some_error", "Something is wrong."),
  requests: 1,
});
/** An error that is tried again, twice. */
const passing = (status: number, headers: Headers = {}, waits: readonly Span[] = backoff) => ({
  ...fatal(status, headers),
  requests: 3,
  waits,
});
const redirect = (status: number): Row => ({
  name: `${status} to elsewhere, where the key must not go`,
  server: [reply(status, "", { location: "/v1/elsewhere" })],
  code: "PROVIDER_API_ERROR",
  message: `OpenAI returned ${status}: `,
  requests: 1,
});

/** Statuses, with the default policy. */
export const statusRows: readonly Row[] = [
  ...[301, 302, 303, 307, 308].map(redirect),
  ...[400, 404, 405, 409, 410, 413, 415, 422, 424, 425, 451].map((status) => ({
    name: `${status}`,
    ...fatal(status),
  })),
  ...[500, 501, 505, 520, 599].map((status) => ({ name: `${status}`, ...fatal(status) })),
  ...[502, 503, 504, 529].map((status) => ({ name: `${status}`, ...passing(status) })),
  { name: "408", ...passing(408), code: "PROVIDER_TIMEOUT" },
  { name: "401", ...fatal(401), code: "PROVIDER_AUTH_ERROR", message: keyRefused },
  {
    name: "403",
    ...fatal(403),
    code: "PROVIDER_AUTH_ERROR",
    message: "OpenAI refused access (403): Something is wrong.",
  },
  { name: "402", ...fatal(402), message: "OpenAI quota is exhausted: Something is wrong." },
  {
    name: "403 because the account is empty",
    ...fatal(403),
    server: [says(403, "billing_not_active", "Pay first.")],
    message: "OpenAI quota is exhausted: Pay first.",
  },
  {
    name: "400 because the credit is used up (Anthropic)",
    server: [says(400, "invalid_request_error", "Your credit balance is too low to access the API.")],
    shape: "anthropic",
    code: "PROVIDER_API_ERROR",
    message: "Anthropic quota is exhausted: Your credit balance is too low to access the API.",
    requests: 1,
  },
  {
    name: "529 (Anthropic)",
    ...passing(529),
    shape: "anthropic",
    message: /^Anthropic returned 529: \{"type":"error","error":\{"type":"some_error"/,
  },
  {
    name: "502 with the HTML of a proxy",
    ...passing(502),
    server: [reply(502, "<html>Bad Gateway</html>", { "content-type": "text/html" })],
    message: "OpenAI returned 502: <html>Bad Gateway</html>",
  },
  { name: "503 without a body", ...passing(503), server: [reply(503, "", {})], message: "OpenAI returned 503: " },
  {
    name: "502 with a broken body",
    ...passing(502),
    // Another thread decompresses.
    restMs: 250,
    server: [reply(502, "plain", { "content-encoding": "gzip" })],
    message: "OpenAI returned 502: ",
  },

  {
    name: "503 that asks for 4 s",
    ...passing(503, { "retry-after": "4" }, [
      [4_000, 4_000],
      [4_000, 4_000],
    ]),
  },
  {
    name: "408 that asks for 3 s",
    ...passing(408, { "retry-after": "3" }, [
      [3_000, 3_000],
      [3_000, 3_000],
    ]),
    code: "PROVIDER_TIMEOUT",
  },
  { name: "500 that asks for 4 s, which does not make it passing", ...fatal(500, { "retry-after": "4" }) },
  { name: "413 that asks for 4 s", ...fatal(413, { "retry-after": "4" }) },

  { name: "500, try it again", ...passing(500, { "x-should-retry": "true" }) },
  { name: "409, try it again", ...passing(409, { "x-should-retry": "true" }) },
  {
    name: "500, try it again in 2 s",
    ...passing(500, { "x-should-retry": "true", "retry-after": "2" }, [
      [2_000, 2_000],
      [2_000, 2_000],
    ]),
  },
  { name: "503, do not try it again", ...fatal(503, { "x-should-retry": "false" }) },
  { name: "408, do not try it again", ...fatal(408, { "x-should-retry": "false" }), code: "PROVIDER_TIMEOUT" },
  {
    name: "429, do not try it again",
    ...fatal(429, { "x-should-retry": "false" }),
    code: "PROVIDER_RATE_LIMIT",
    message: "OpenAI rate limit hit. Retry after unknown seconds.",
  },
  { name: "503, an unknown word on trying it again", ...passing(503, { "x-should-retry": "maybe" }) },
  {
    name: "401, try it again",
    ...fatal(401, { "x-should-retry": "true" }),
    code: "PROVIDER_AUTH_ERROR",
    message: keyRefused,
  },
];
