import { describe, expect, it } from "vitest";
import { classifyFailure, classifyReply, missingKey, unusableReply } from "./classify.js";

const identity = { name: "OpenAI", model: "gpt-4.1-mini", apiKeyEnv: "OPENAI_API_KEY" };
const who = { provider: "OpenAI", model: "gpt-4.1-mini", apiKeyEnv: "OPENAI_API_KEY" };

function classify(status: number, body = "", headers: Record<string, string> = {}) {
  return classifyReply(identity, { status, headers, body }, 0);
}

describe("classifyReply", () => {
  it("uses the words of the specification", () => {
    expect(classify(401).message).toBe(
      "OpenAI API key is invalid or missing. Set OPENAI_API_KEY environment variable.",
    );
    expect(classify(429, "", { "retry-after": "30" }).message).toBe("OpenAI rate limit hit. Retry after 30 seconds.");
    expect(classify(429).message).toBe("OpenAI rate limit hit. Retry after unknown seconds.");
    expect(classify(429, "", { "retry-after-ms": "1234" }).message).toBe(
      "OpenAI rate limit hit. Retry after 1.3 seconds.",
    );
    expect(classify(500, "x".repeat(300)).message).toBe(`OpenAI returned 500: ${"x".repeat(200)}…`);
  });

  it.each([
    [400, "PROVIDER_API_ERROR", undefined],
    [401, "PROVIDER_AUTH_ERROR", false],
    [403, "PROVIDER_AUTH_ERROR", false],
    [404, "PROVIDER_API_ERROR", undefined],
    [408, "PROVIDER_TIMEOUT", true],
    [409, "PROVIDER_API_ERROR", undefined],
    [413, "PROVIDER_API_ERROR", undefined],
    [422, "PROVIDER_API_ERROR", undefined],
    [429, "PROVIDER_RATE_LIMIT", true],
    [500, "PROVIDER_API_ERROR", undefined],
    [501, "PROVIDER_API_ERROR", undefined],
    [502, "PROVIDER_API_ERROR", true],
    [503, "PROVIDER_API_ERROR", true],
    [504, "PROVIDER_API_ERROR", true],
    [529, "PROVIDER_API_ERROR", true],
    [301, "PROVIDER_API_ERROR", undefined],
  ])("%i is %s", (status, code, retryable) => {
    const error = classify(status);
    expect(error.code).toBe(code);
    expect(error.details).toMatchObject({ ...who, status });
    expect(error.details).toHaveProperty("status", status);
    expect((error.details as { retryable?: boolean }).retryable).toBe(retryable);
  });

  it.each([
    ["OpenAI, out of credit", 429, { error: { message: "You exceeded it", code: "insufficient_quota" } }],
    ["OpenAI, hard limit", 400, { error: { message: "Hard limit", code: "billing_hard_limit_reached" } }],
    [
      "Anthropic, out of credit",
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "Your credit balance is too low to access the Anthropic API.",
        },
      },
    ],
    ["Anthropic, billing", 403, { type: "error", error: { type: "billing_error", message: "Pay up" } }],
    [
      "Anthropic, spend limit",
      429,
      {
        error: { type: "rate_limit_error", message: "Limit", details: { error_code: "enforced_spend_limit_reached" } },
      },
    ],
    ["a plain 402", 402, { error: { message: "Payment Required" } }],
    ["DeepSeek, by its words", 400, { error: { message: "Insufficient Balance" } }],
    [
      "Azure's gateway",
      403,
      { statusCode: 403, message: "Out of call volume quota. Quota will be replenished in 02:12:21." },
    ],
    [
      "Anthropic, by its words",
      400,
      { error: { message: "You have reached your specified workspace API usage limits." } },
    ],
    ["Ollama", 429, { error: "you (ada) have reached your weekly usage limit, upgrade for higher limits" }],
    ["a plain sentence", 429, { error: "You exceeded your current quota" }],
    ["Amazon, tokens of a day", 429, { message: "Too many tokens per day, please wait before trying again." }],
    ["Amazon, inside a stream", 400, { __type: "serviceQuotaExceededException", message: "Enough" }],
  ])("distinguishes an exhausted quota of %s from a rate limit", (_name, status, body) => {
    const error = classify(status, JSON.stringify(body), { "retry-after": "1", "x-should-retry": "true" });
    expect(error.message).toMatch(/^OpenAI quota is exhausted: /);
    expect(error).toMatchObject({ code: "PROVIDER_API_ERROR", details: { quota: true, retryable: false } });
  });

  it("does not take the talk of an answer for a quota", () => {
    expect(classify(429, '{"error":{"message":"Rate limit reached for requests"}}').code).toBe("PROVIDER_RATE_LIMIT");
  });

  it.each([
    ["ThrottlingException:http://internal.amazon.com/coral/com.amazon.bedrock/", 429, "PROVIDER_RATE_LIMIT", true],
    ["ModelNotReadyException", 429, "PROVIDER_API_ERROR", true],
    ["ModelNotReadyException:http://internal.amazon.com/coral/", 429, "PROVIDER_API_ERROR", true],
    ["com.amazon.bedrock#ModelStreamErrorException", 424, "PROVIDER_API_ERROR", true],
    ["ModelErrorException", 424, "PROVIDER_API_ERROR", undefined],
    ["ModelTimeoutException", 408, "PROVIDER_TIMEOUT", true],
    ["ServiceUnavailableException", 503, "PROVIDER_API_ERROR", true],
    ["ServiceQuotaExceededException", 400, "PROVIDER_API_ERROR", false],
    ["ExpiredTokenException", 403, "PROVIDER_AUTH_ERROR", false],
    ["ValidationException", 400, "PROVIDER_API_ERROR", undefined],
  ])("knows Amazon's %s with %i", (type, status, code, retryable) => {
    const error = classify(status, '{"message":"no"}', { "x-amzn-errortype": type, "x-amzn-requestid": "req_a" });
    expect(error).toMatchObject({ code, details: { status, requestId: "req_a" } });
    expect((error.details as { retryable?: boolean }).retryable).toBe(retryable);
  });

  it("reads the sentence of a refusal as Amazon spells it", () => {
    expect(classify(403, '{"Message":"Authentication failed: Please make sure your API Key is valid."}').message).toBe(
      "OpenAI refused access (403): Authentication failed: Please make sure your API Key is valid.",
    );
  });

  it("obeys x-should-retry", () => {
    expect(classify(500, "", { "x-should-retry": "true" }).details).toMatchObject({ retryable: true });
    expect(classify(429, "", { "x-should-retry": "false" }).details).toMatchObject({ retryable: false });
    const notReady = { "x-amzn-errortype": "ModelNotReadyException", "x-should-retry": "false" };
    expect(classify(429, "", notReady).details).toMatchObject({ retryable: false });
    expect(classify(408, "", { "x-should-retry": "false" }).details).toMatchObject({ retryable: false });
    expect(classify(401, "", { "x-should-retry": "true" }).details).toMatchObject({ retryable: false });
  });

  it("keeps 2,000 characters of the body, the request id and the hint", () => {
    const error = classify(503, "y".repeat(3_000), { "request-id": "req_1", "retry-after": "2" });
    expect(error.details).toMatchObject({ body: `${"y".repeat(2_000)}…`, requestId: "req_1", retryAfterMs: 2_000 });
  });

  it.each(["x-request-id", "request-id", "mistral-correlation-id"])("finds the request id in %s", (name) => {
    expect(classify(500, "", { [name]: "req_2" }).details).toMatchObject({ requestId: "req_2" });
  });

  it("does not cut a character in two", () => {
    expect(classify(500, `${"x".repeat(199)}🙂`).message).toBe(`OpenAI returned 500: ${"x".repeat(199)}…`);
  });

  it("names the settings where no key is configured", () => {
    const local = { name: "local", model: "m", apiKeyEnv: null };
    expect(classifyReply(local, { status: 401, headers: {}, body: "" }, 0).message).toBe(
      "local API key is invalid or missing. Name its variable with api_key_env in the provider's settings.",
    );
    expect(classifyReply(local, { status: 403, headers: {}, body: "Go away" }, 0).message).toBe(
      "local refused access (403): Go away",
    );
  });
});

describe("classifyFailure", () => {
  const cause = new Error("cause");

  it.each([
    ["request", "OpenAI request timed out after 30000ms"],
    ["connect", "OpenAI request timed out after 30000ms without a connection"],
    ["headers", "OpenAI request timed out after 30000ms without an answer"],
    ["idle", "OpenAI request timed out after 30000ms in the middle of the reply"],
  ] as const)("reports the %s deadline", (which, message) => {
    const error = classifyFailure(identity, { kind: "timeout", which, ms: 30_000, cause }, 0);
    const details = { ...who, timeout: { kind: which, ms: 30_000 }, retryable: true };
    expect(error).toEqual({ code: "PROVIDER_TIMEOUT", message, details, cause });
  });

  it("distinguishes an interruption from a deadline that the caller set", () => {
    const abort = new DOMException("This operation was aborted", "AbortError");
    const timeout = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    expect(classifyFailure(identity, { kind: "aborted", cause: abort }, 0).code).toBe("ENGINE_ABORTED");
    expect(classifyFailure(identity, { kind: "aborted", cause: timeout }, 0).code).toBe("PROVIDER_TIMEOUT");
  });

  it("keeps the system's code of a broken connection", () => {
    const failure = { kind: "network", systemCode: "ECONNREFUSED", message: "connect ECONNREFUSED", cause } as const;
    expect(classifyFailure(identity, failure, 0)).toMatchObject({
      code: "PROVIDER_NETWORK_ERROR",
      message: "Failed to connect to OpenAI: connect ECONNREFUSED",
      details: { systemCode: "ECONNREFUSED", retryable: true },
    });
  });

  it.each([
    ["DEPTH_ZERO_SELF_SIGNED_CERT", false],
    ["SELF_SIGNED_CERT_IN_CHAIN", false],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", false],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", false],
    ["CERT_HAS_EXPIRED", false],
    ["ERR_TLS_CERT_ALTNAME_INVALID", false],
    ["ERR_SSL_WRONG_VERSION_NUMBER", true],
    ["ECONNRESET", true],
    ["ENOTFOUND", true],
  ])("may work again after %s: %s", (systemCode, retryable) => {
    const failure = { kind: "network", systemCode, message: "no", cause } as const;
    expect(classifyFailure(identity, failure, 0)).toMatchObject({ details: { retryable } });
  });

  it("goes by the status where the body of an error cannot be read", () => {
    const broken = { kind: "unreadable", headers: {}, message: "it is no gzip", cause } as const;
    expect(classifyFailure(identity, { ...broken, status: 429 }, 0).code).toBe("PROVIDER_RATE_LIMIT");
    expect(classifyFailure(identity, { ...broken, status: 200 }, 0)).toMatchObject({
      code: "PROVIDER_API_ERROR",
      message: "OpenAI returned 200, but it is no gzip",
    });
  });

  it("does not ask to try a request again that cannot be sent", () => {
    const failure = { kind: "unsendable", message: "invalid authorization header", cause } as const;
    expect(classifyFailure(identity, failure, 0)).toMatchObject({
      code: "PROVIDER_API_ERROR",
      message: "The request to OpenAI cannot be sent: invalid authorization header",
      details: { retryable: false },
    });
  });
});

describe("the other errors", () => {
  it("a missing key", () => {
    expect(missingKey(identity)).toEqual({
      code: "PROVIDER_AUTH_ERROR",
      message: "OpenAI API key is invalid or missing. Set OPENAI_API_KEY environment variable.",
      details: { ...who, sent: false, retryable: false },
    });
  });

  it("a success that is none takes no hint from its text", () => {
    const reply = { status: 200, headers: {}, body: "try again in 5s" };
    const error = unusableReply(identity, reply, "a body that is not JSON", 0);
    expect(error.message).toBe("OpenAI returned 200 with a body that is not JSON: try again in 5s");
    expect(error.details).not.toHaveProperty("retryAfterMs");
  });
});
