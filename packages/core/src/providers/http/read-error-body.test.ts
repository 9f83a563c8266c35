import { expect, it } from "vitest";
import { classifyReply } from "./classify.js";
import { readErrorBody } from "./read-error-body.js";

const identity = { name: "OpenAI", model: "gpt-4.1-mini", apiKeyEnv: "OPENAI_API_KEY" };

function classify(status: number, body: string) {
  return classifyReply(identity, { status, headers: {}, body }, 0);
}

function google(code: number, status: string, message: string, details?: readonly unknown[]) {
  return { error: details === undefined ? { code, message, status } : { code, message, status, details } };
}

function quotaFailure(quotaId: string) {
  return { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaMetric: "requests", quotaId }] };
}

it.each([
  [
    "Gemini, per day",
    429,
    google(
      429,
      "RESOURCE_EXHAUSTED",
      "You exceeded your current quota, please check your plan. Please retry in 34.2s.",
      [
        quotaFailure("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"),
        quotaFailure("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" },
      ],
    ),
  ],
  [
    "Gemini, a limit that is named in its metadata only",
    429,
    google(429, "RESOURCE_EXHAUSTED", "Quota exceeded.", [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", metadata: { quota_limit: "RequestsPerDay" } },
    ]),
  ],
  [
    "Gemini, a model that is not in the plan",
    429,
    google(
      429,
      "RESOURCE_EXHAUSTED",
      "You exceeded your current quota.\n* Quota exceeded for metric: x, limit: 0, model: m",
    ),
  ],
  ["Gemini, prepaid", 429, google(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.")],
  ["Gemini, unpaid", 403, google(403, "PERMISSION_DENIED", "Enable billing.", [{ reason: "BILLING_DISABLED" }])],
  ["Gemini, in a list", 429, [google(429, "RESOURCE_EXHAUSTED", "x", [quotaFailure("RequestsPerDay")])]],
  [
    "Cohere, the trial key of the month",
    429,
    { message: "You are using a Trial key, which is limited to 1000 API calls / month." },
  ],
])("reports a limit that waiting does not lift, of %s", (_name, status, body) => {
  expect(classify(status, JSON.stringify(body))).toMatchObject({
    code: "PROVIDER_API_ERROR",
    details: { quota: true, retryable: false },
  });
});

it.each([
  [
    "Gemini, per minute, which speaks of a quota as well",
    google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", [
      quotaFailure("GenerateContentInputTokensPerModelPerMinute-FreeTier"),
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "10.5s" },
    ]),
    10_500,
  ],
  [
    "Gemini, without details",
    google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    undefined,
  ],
  ["Gemini, limit: 05", google(429, "RESOURCE_EXHAUSTED", "limit: 05"), undefined],
  [
    "Cohere, the trial key of the minute",
    { message: "You are using a Trial key, which is limited to 20 API calls / minute." },
    undefined,
  ],
])("waits for a limit that passes, of %s", (_name, body, retryAfterMs) => {
  const error = classify(429, JSON.stringify(body));
  expect(error).toMatchObject({ code: "PROVIDER_RATE_LIMIT", details: { retryable: true } });
  expect((error.details as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs);
});

it("knows a refused key that comes with another status", () => {
  const body = google(400, "INVALID_ARGUMENT", "API key not valid.", [{ reason: "API_KEY_INVALID" }]);
  expect(classify(400, JSON.stringify(body))).toMatchObject({
    code: "PROVIDER_AUTH_ERROR",
    message: "OpenAI API key is invalid or missing. Set OPENAI_API_KEY environment variable.",
    details: { status: 400, retryable: false },
  });
  expect(classify(400, JSON.stringify(google(400, "INVALID_ARGUMENT", "No."))).code).toBe("PROVIDER_API_ERROR");
});

it.each([
  ["{ error: { message } }", { error: { message: "no" } }, "no"],
  ["{ error }", { error: "no" }, "no"],
  ["{ message }", { message: "no" }, "no"],
  ["{ detail }", { detail: "no" }, "no"],
  ["the first of a list", [{ error: { message: "no" } }, { error: { message: "yes" } }], "no"],
  ["nothing in an empty list", [], null],
  ["nothing in a list of texts", ["no"], null],
])("finds the sentence in %s", (_name, body, message) => {
  expect(readErrorBody(400, JSON.stringify(body))).toEqual({
    message,
    isQuota: false,
    isKeyRefused: false,
    isPassing: false,
  });
});

it("finds nothing in what is no JSON", () => {
  expect(readErrorBody(502, "<html>")).toEqual({
    message: null,
    isQuota: false,
    isKeyRefused: false,
    isPassing: false,
  });
});
