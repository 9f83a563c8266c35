import { afterEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../packages/core/src/__fixtures__/manual-clock.js";
import type { ProviderErrorDetails } from "../../packages/core/src/errors/provider-error-details.js";
import type { KindlmError } from "../../packages/core/src/errors/kindlm-error.js";
import { createUndiciTransport } from "../../packages/core/src/providers/http/undici-transport.js";
import { startMisbehavingServer, unresolvableUrl, wellText, type Behaviour } from "../support/misbehaving-server.js";
import type { ProviderShape } from "../../packages/core/src/__fixtures__/provider-replies.js";
import { refusedUrl, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { whileAdvancing } from "../support/while-advancing.js";
import { adapterFor, requestOf } from "./adapter-under-test.js";

const timeouts = { connectMs: 2_000, headersMs: 250, idleMs: 250, requestMs: 600 };
const keyVariables = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" } as const;
const labels = { openai: "OpenAI", anthropic: "Anthropic" } as const;

let server: LoopbackServer | null = null;

afterEach(async () => {
  await server?.close();
  server = null;
});

/** Asks in a time that stands still where `stepMs` is 0, so that a slow machine is no late server. */
async function ask(shape: ProviderShape, baseUrl: string, stepMs = 0) {
  const provider = { base_url: baseUrl, api_key_env: keyVariables[shape] };
  const clock = createManualClock();
  const http = createUndiciTransport(clock);
  const adapter = adapterFor({ type: shape, provider, env: { [keyVariables[shape]]: "test-key" } }, { http, clock });
  const asked = adapter.complete(requestOf({ timeouts }), { signal: new AbortController().signal });
  const result = await whileAdvancing(clock, stepMs, asked);
  await http.close();
  return { result, elapsedMs: clock.monotonic() };
}

const late: readonly string[] = ["never-answers", "stalled-body", "endless-body"] satisfies Behaviour[];

async function askServer(shape: ProviderShape, behaviour: Behaviour) {
  const started = await startMisbehavingServer(behaviour, shape);
  server = started;
  const asked = await ask(shape, started.baseUrl, late.includes(behaviour) ? 20 : 0);
  return { ...asked, requests: started.requests.length };
}

interface Expected {
  code: KindlmError["code"];
  /** `LABEL` and `KEY` stand for the provider's own. */
  message: string | RegExp;
  details: Partial<ProviderErrorDetails>;
}

const failures: Partial<Record<Behaviour, Expected>> = {
  "401": {
    code: "PROVIDER_AUTH_ERROR",
    message: "LABEL API key is invalid or missing. Set KEY environment variable.",
    details: { status: 401, retryable: false, requestId: "req_401" },
  },
  "403": {
    code: "PROVIDER_AUTH_ERROR",
    message: "LABEL refused access (403): Your key may not use this model.",
    details: { status: 403, retryable: false },
  },
  "429-for-ever": {
    code: "PROVIDER_RATE_LIMIT",
    message: "LABEL rate limit hit. Retry after 1 seconds.",
    details: { status: 429, retryable: true, retryAfterMs: 1_000 },
  },
  "429-quota": {
    code: "PROVIDER_API_ERROR",
    message: "LABEL quota is exhausted: You exceeded your current quota, please check your plan.",
    details: { status: 429, retryable: false, quota: true },
  },
  "400": { code: "PROVIDER_API_ERROR", message: /^LABEL returned 400: \{.*does not exist/, details: { status: 400 } },
  "404": { code: "PROVIDER_API_ERROR", message: /^LABEL returned 404: \{/, details: { status: 404 } },
  "408": { code: "PROVIDER_TIMEOUT", message: /^LABEL returned 408: \{/, details: { status: 408, retryable: true } },
  "500": { code: "PROVIDER_API_ERROR", message: /^LABEL returned 500: \{/, details: { status: 500 } },
  "502": { code: "PROVIDER_API_ERROR", message: /^LABEL returned 502: \{/, details: { status: 502, retryable: true } },
  "503": { code: "PROVIDER_API_ERROR", message: /^LABEL returned 503: \{/, details: { status: 503, retryable: true } },
  "529": { code: "PROVIDER_API_ERROR", message: /^LABEL returned 529: \{/, details: { status: 529, retryable: true } },
  "500-should-retry": {
    code: "PROVIDER_API_ERROR",
    message: /^LABEL returned 500/,
    details: { status: 500, retryable: true },
  },
  "503-should-not-retry": {
    code: "PROVIDER_API_ERROR",
    message: /^LABEL returned 503/,
    details: { status: 503, retryable: false },
  },
  "not-json": {
    code: "PROVIDER_API_ERROR",
    message: "LABEL returned 200 with a body that is not JSON: Internal proxy says hello",
    details: { status: 200, body: "Internal proxy says hello" },
  },
  "empty-body": {
    code: "PROVIDER_API_ERROR",
    message: "LABEL returned 200 with an empty body",
    details: { status: 200 },
  },
  "half-json": {
    code: "PROVIDER_API_ERROR",
    message: /^LABEL returned 200 with a body that is not JSON: \{/,
    details: { status: 200 },
  },
  "no-choice": {
    code: "PROVIDER_API_ERROR",
    message: /^LABEL returned 200 with no (choice|content) in its body: \{/,
    details: { status: 200 },
  },
  "truncated-body": {
    code: "PROVIDER_NETWORK_ERROR",
    message: /^LABEL broke off its answer: /,
    details: { retryable: true, systemCode: "ECONNRESET" },
  },
  reset: {
    code: "PROVIDER_NETWORK_ERROR",
    message: /^Failed to connect to LABEL: .*ECONNRESET/,
    details: { retryable: true, systemCode: "ECONNRESET" },
  },
  "close-early": {
    code: "PROVIDER_NETWORK_ERROR",
    message: "Failed to connect to LABEL: other side closed",
    details: { retryable: true, systemCode: "ECONNRESET" },
  },
  "never-answers": {
    code: "PROVIDER_TIMEOUT",
    message: "LABEL request timed out after 250ms without an answer",
    details: { retryable: true, timeout: { kind: "headers", ms: 250 } },
  },
  "stalled-body": {
    code: "PROVIDER_TIMEOUT",
    message: "LABEL request timed out after 250ms in the middle of the reply",
    details: { retryable: true, timeout: { kind: "idle", ms: 250 } },
  },
  "endless-body": {
    code: "PROVIDER_TIMEOUT",
    message: "LABEL request timed out after 600ms",
    details: { retryable: true, timeout: { kind: "request", ms: 600 } },
  },
  "broken-gzip": {
    code: "PROVIDER_API_ERROR",
    message: /^LABEL returned 200, but the reply is not valid gzip: /,
    details: { status: 200, retryable: false },
  },
  "html-error": {
    code: "PROVIDER_API_ERROR",
    message: /^LABEL returned 502: <html><head><title>502 Bad Gateway/,
    details: { status: 502, retryable: true },
  },
  redirect: { code: "PROVIDER_API_ERROR", message: "LABEL returned 307: ", details: { status: 307 } },
};

function worded(message: string | RegExp, shape: ProviderShape): string | RegExp {
  const fill = (text: string): string => text.replaceAll("LABEL", labels[shape]).replaceAll("KEY", keyVariables[shape]);
  return typeof message === "string" ? fill(message) : new RegExp(fill(message.source));
}

describe.each(["openai", "anthropic"] as const)("%s", (shape) => {
  it.each(Object.entries(failures) as [Behaviour, Expected][])("%s has its one code", async (behaviour, expected) => {
    const { result, elapsedMs, requests } = await askServer(shape, behaviour);
    const error = result.success ? null : result.error;
    expect(error).toMatchObject({
      code: expected.code,
      details: { provider: labels[shape], model: "test-model", ...expected.details },
    });
    const message = worded(expected.message, shape);
    if (typeof message === "string") expect(error?.message).toBe(message);
    else expect(error?.message).toMatch(message);
    expect(requests).toBe(1);
    expect(elapsedMs).toBeLessThan(timeouts.requestMs + 100);
    if (expected.details.retryable === undefined) expect(error?.details).not.toHaveProperty("retryable");
  });

  it.each(["well", "gzip", "wrong-content-type"] as const)("%s is an answer", async (behaviour) => {
    const { result } = await askServer(shape, behaviour);
    expect(result).toMatchObject({ success: true, data: { text: wellText, finishReason: { unified: "stop" } } });
  });

  it("429-then-well answers the second request", async () => {
    const started = await startMisbehavingServer("429-then-well", shape);
    server = started;
    expect(await ask(shape, started.baseUrl)).toMatchObject({ result: { error: { code: "PROVIDER_RATE_LIMIT" } } });
    expect(await ask(shape, started.baseUrl)).toMatchObject({ result: { data: { requestId: "req_well" } } });
  });

  it("a host name that does not exist is a network error", async () => {
    const { result } = await ask(shape, unresolvableUrl);
    const error = result.success ? null : result.error;
    expect(error?.code).toBe("PROVIDER_NETWORK_ERROR");
    expect(error?.message).toMatch(/^Failed to connect to \w+: getaddrinfo (ENOTFOUND|EAI_AGAIN) provider\.invalid/);
    expect(error?.details).toMatchObject({ systemCode: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) as string });
  });

  it("a port on which nothing listens is a network error", async () => {
    const { result } = await ask(shape, await refusedUrl());
    expect(result).toMatchObject({
      error: { code: "PROVIDER_NETWORK_ERROR", details: { systemCode: "ECONNREFUSED", retryable: true } },
    });
  });
});
