import type { ErrorCode, KindlmError, KindlmErrorOf } from "@kindlm/core";
import { explainError } from "../errors/explain-error.js";

type Logged<C extends ErrorCode> = (error: KindlmErrorOf<C>) => string;

/** For errors whose words are KindLM's own: about configs, files, limits and the like. */
const inFull = (error: KindlmError): string => explainError(error, false)[0]?.title ?? error.message;

/** What the log says of each code. A message that may quote a provider, an agent, a tool or a module is left out. */
const loggedMessages: { [C in ErrorCode]: Logged<C> } = {
  CONFIG_NOT_FOUND: inFull,
  CONFIG_PARSE_ERROR: inFull,
  CONFIG_VALIDATION_ERROR: inFull,
  CONFIG_FILE_REF_ERROR: inFull,
  PROVIDER_NOT_FOUND: inFull,
  PROVIDER_AUTH_ERROR: ({ details }) =>
    details?.status === undefined
      ? `${nameOf(details)} API key is missing`
      : `${nameOf(details)} refused access (${details.status})`,
  PROVIDER_RATE_LIMIT: inFull,
  PROVIDER_TIMEOUT: ({ details }) =>
    details?.status === undefined
      ? `${nameOf(details)} request timed out${details?.timeout === undefined ? "" : ` after ${details.timeout.ms}ms`}`
      : `${nameOf(details)} returned ${details.status}`,
  PROVIDER_API_ERROR: ({ details }) =>
    details?.status === undefined
      ? `${nameOf(details)} returned an unusable response`
      : `${nameOf(details)} returned ${details.status}`,
  PROVIDER_NETWORK_ERROR: ({ details }) =>
    `${details?.brokeOff === true ? "The connection broke off" : "No connection"}: ${nameOf(details)}${systemCodeOf(details)}`,
  PROVIDER_CIRCUIT_OPEN: ({ details }) => `The circuit breaker of ${nameOf(details)} is open`,
  PROVIDER_CASSETTE_MISS: () => "The cassette has no recording of the request",
  ASSERTION_EVAL_ERROR: ({ details }) =>
    `An assertion could not be evaluated${details === undefined ? "" : `: ${details.type}`}`,
  SCHEMA_FILE_ERROR: inFull,
  JUDGE_EVAL_ERROR: ({ details }) => `The judge gave no score${causeOf(details)}`,
  SIMULATED_USER_ERROR: ({ details }) => `The simulated user wrote no message${causeOf(details)}`,
  ENGINE_MAX_TURNS: inFull,
  ENGINE_EMPTY_RESPONSE: () => "The model gave neither text nor a tool call",
  ENGINE_TIMEOUT: inFull,
  ENGINE_BUDGET_EXCEEDED: inFull,
  ENGINE_ABORTED: () => "Interrupted",
  ENGINE_FIXTURE_ERROR: () => "The fixture of the test is wrong",
  TARGET_ERROR: ({ details }) =>
    `The target failed${details === undefined ? "" : `: ${details.kind.replaceAll("_", " ")}`}`,
  BASELINE_NOT_FOUND: inFull,
  BASELINE_CORRUPT: inFull,
  BASELINE_VERSION_MISMATCH: inFull,
  BASELINE_REFUSED: inFull,
  CLOUD_AUTH_ERROR: () => "Not logged in",
  CLOUD_UPLOAD_ERROR: () => "The upload failed",
  CLOUD_PLAN_LIMIT: () => "The plan does not include it",
  CLOUD_RATE_LIMIT: () => "Rate limit of the cloud",
  STORE_WRITE_ERROR: inFull,
  STORE_CORRUPT: inFull,
  STORE_LOCKED: inFull,
  RUN_NOT_FOUND: inFull,
  MERGE_REFUSED: inFull,
  TRANSCRIPT_INVALID: () => "A transcript cannot be used",
  UNKNOWN_ERROR: () => "An unexpected error",
};

/** The message of an error, without anything that a provider, an agent, a tool or a module said. */
export function loggedMessage<C extends ErrorCode>(error: KindlmErrorOf<C>): string {
  const messages: { [K in ErrorCode]: Logged<K> } = loggedMessages;
  return messages[error.code](error);
}

/** Whether the words of errors with this code are KindLM's own. */
export function isOwnWords(code: ErrorCode): boolean {
  return loggedMessages[code] === inFull;
}

function nameOf(details: { provider?: string } | undefined): string {
  return details?.provider ?? "Provider";
}

function systemCodeOf(details: { systemCode?: string } | undefined): string {
  return details?.systemCode === undefined ? "" : ` (${details.systemCode})`;
}

function causeOf(details: { causedBy?: { code: string } } | undefined): string {
  return details?.causedBy === undefined ? "" : `: ${details.causedBy.code}`;
}
