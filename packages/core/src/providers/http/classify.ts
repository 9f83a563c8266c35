import type { ProviderErrorDetails } from "../../errors/provider-error-details.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import type { ProviderIdentity } from "./provider-identity.js";
import { readErrorBody } from "./read-error-body.js";
import { retryHintMs } from "./retry-hints.js";
import type { HttpFailure, HttpReply } from "./transport.js";

const maxBodyInMessage = 200;
const maxBodyInDetails = 2_000;

/** Statuses of a server that is down or overloaded for a while: the same call may work again. */
const passingStatuses = new Set([502, 503, 504, 529]);

/** The third is Azure's, then those of Cohere, Mistral and Amazon. */
const requestIdHeaders = [
  "x-request-id",
  "request-id",
  "apim-request-id",
  "x-debug-trace-id",
  "mistral-correlation-id",
  "x-amzn-requestid",
];

type Reply = Pick<HttpReply, "status" | "headers" | "body">;

/** The server's id of the exchange; null when it gave none. */
export function requestIdOf(headers: HttpReply["headers"]): string | null {
  for (const name of requestIdHeaders) if (headers[name] !== undefined) return headers[name];
  return null;
}

/**
 * What an error reply means: the one place where status, body and headers become a code and `retryable`.
 * `retryable` stays undefined where the retry policy decides by the status.
 */
export function classifyReply(identity: ProviderIdentity, reply: Reply, nowMs: number): KindlmError {
  const { status } = reply;
  const read = readErrorBody(status, reply.body, reply.headers["x-amzn-errortype"]);
  const details = detailsOf(identity, reply, nowMs);
  const wish = reply.headers["x-should-retry"];
  if (wish === "false") details.retryable = false;
  else if (wish === "true" || read.isPassing || passingStatuses.has(status)) details.retryable = true;

  if (read.isQuota) {
    const message = `${identity.name} quota is exhausted: ${cut(read.message ?? reply.body, maxBodyInMessage)}`;
    return kindlmError("PROVIDER_API_ERROR", message, { details: { ...details, quota: true, retryable: false } });
  }
  if (status === 401 || status === 403 || read.isKeyRefused) {
    const message = status === 403 ? accessMessage(identity, read.message ?? reply.body) : keyMessage(identity);
    return kindlmError("PROVIDER_AUTH_ERROR", message, { details: { ...details, retryable: false } });
  }
  if (status === 429 && !read.isPassing) {
    const message = `${identity.name} rate limit hit. Retry after ${secondsOf(details.retryAfterMs)} seconds.`;
    return kindlmError("PROVIDER_RATE_LIMIT", message, { details: { retryable: true, ...details } });
  }
  const message = `${identity.name} returned ${status}: ${cut(reply.body, maxBodyInMessage)}`;
  if (status === 408) return kindlmError("PROVIDER_TIMEOUT", message, { details: { retryable: true, ...details } });
  return kindlmError("PROVIDER_API_ERROR", message, { details });
}

/** A success whose body is not what it promises. `reason` completes `OpenAI returned 200 with …`. */
export function unusableReply(identity: ProviderIdentity, reply: Reply, reason: string, nowMs: number): KindlmError {
  const shown = reply.body.trim() === "" ? "" : `: ${cut(reply.body, maxBodyInMessage)}`;
  const message = `${identity.name} returned ${reply.status} with ${reason}${shown}`;
  return kindlmError("PROVIDER_API_ERROR", message, { details: detailsOf(identity, reply, nowMs) });
}

/** A request that needs a key which the environment does not have; nothing is sent. */
export function missingKey(identity: ProviderIdentity): KindlmError {
  return kindlmError("PROVIDER_AUTH_ERROR", keyMessage(identity), {
    details: { ...whoOf(identity), sent: false, retryable: false },
  });
}

/** Why no complete reply came, as an error. */
export function classifyFailure(identity: ProviderIdentity, problem: HttpFailure, nowMs: number): KindlmError {
  const { name } = identity;
  const who = whoOf(identity);
  const { cause } = problem;
  switch (problem.kind) {
    case "timeout": {
      const { which, ms } = problem;
      const message = `${name} request timed out after ${ms}ms${timeoutNotes[which]}`;
      const details = { ...who, timeout: { kind: which, ms }, retryable: true };
      return kindlmError("PROVIDER_TIMEOUT", message, { details, cause });
    }
    case "aborted":
      // A caller may pass its own deadline as the signal; only its reason distinguishes that from an interruption.
      if (cause.name === "TimeoutError") {
        const details = { ...who, retryable: true };
        return kindlmError("PROVIDER_TIMEOUT", `${name} request timed out: ${cause.message}`, { details, cause });
      }
      return kindlmError("ENGINE_ABORTED", `${name} request was interrupted`, { cause });
    case "network": {
      const details: ProviderErrorDetails = { ...who, retryable: !isUntrusted(problem.systemCode) };
      if (problem.systemCode !== null) details.systemCode = problem.systemCode;
      if (problem.brokeOff === true) return brokenOff(details, problem.message, cause);
      const message = `Failed to connect to ${name}: ${problem.message}`;
      return kindlmError("PROVIDER_NETWORK_ERROR", message, { details, cause });
    }
    case "unreadable": {
      const reply = { status: problem.status, headers: problem.headers, body: "" };
      if (problem.status >= 400) return { ...classifyReply(identity, reply, nowMs), cause };
      const details = { ...detailsOf(identity, reply, nowMs), retryable: false };
      const message = `${name} returned ${problem.status}, but ${problem.message}`;
      return kindlmError("PROVIDER_API_ERROR", message, { details, cause });
    }
    case "withheld":
      return problem.error;
    case "unsendable": {
      const details: ProviderErrorDetails = { ...who, sent: false, retryable: false };
      return kindlmError("PROVIDER_API_ERROR", `The request to ${name} cannot be sent: ${problem.message}`, {
        details,
        cause,
      });
    }
  }
}

/** A reply that began and has no end. `reason` says how it ended. */
export function brokenOff(who: ProviderErrorDetails, reason: string, cause?: Error): KindlmError {
  const details: ProviderErrorDetails = { ...who, brokeOff: true };
  return kindlmError("PROVIDER_NETWORK_ERROR", `${who.provider} broke off its answer: ${reason}`, { details, cause });
}

/** OpenSSL's and Node's codes for a certificate that is not trusted, which no further attempt will change. */
function isUntrusted(systemCode: string | null): boolean {
  return systemCode !== null && /^(?:ERR_TLS_)?CERT_|SELF_SIGNED|^UNABLE_TO_(?:GET_ISSUER|VERIFY)/.test(systemCode);
}

const timeoutNotes = {
  request: "",
  connect: " without a connection",
  headers: " without an answer",
  idle: " in the middle of the reply",
} as const;

function keyMessage({ name, apiKeyEnv, isModule }: ProviderIdentity): string {
  if (isModule === true) return `${name} API key is invalid or missing. Check the options of the provider.`;
  const remedy =
    apiKeyEnv === null
      ? "Name its variable with api_key_env in the provider's settings."
      : `Set ${apiKeyEnv} environment variable.`;
  return `${name} API key is invalid or missing. ${remedy}`;
}

function accessMessage({ name }: ProviderIdentity, reason: string): string {
  return `${name} refused access (403): ${cut(reason, maxBodyInMessage)}`;
}

function whoOf(identity: ProviderIdentity): ProviderErrorDetails {
  const details: ProviderErrorDetails = { provider: identity.name, model: identity.model };
  if (identity.apiKeyEnv !== null) details.apiKeyEnv = identity.apiKeyEnv;
  return details;
}

function detailsOf(identity: ProviderIdentity, reply: Reply, nowMs: number): ProviderErrorDetails {
  const details: ProviderErrorDetails = { ...whoOf(identity), status: reply.status };
  if (reply.body !== "") details.body = cut(reply.body, maxBodyInDetails);
  const requestId = requestIdOf(reply.headers);
  if (requestId !== null) details.requestId = requestId;
  const hint = reply.status < 400 ? null : retryHintMs(reply.headers, reply.body, nowMs);
  if (hint !== null) details.retryAfterMs = hint;
  return details;
}

function secondsOf(ms: number | undefined): string {
  return ms === undefined ? "unknown" : String(Math.ceil(ms / 100) / 10);
}

/**
 * The first characters of a string, and a mark where it was cut: between characters, never inside a surrogate pair. By
 * the mark redaction knows that a secret may have been cut too.
 */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)}…`;
}
