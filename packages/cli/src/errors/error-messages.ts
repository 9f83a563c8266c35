import type { ErrorCode, KindlmErrorOf } from "@kindlm/core";

/** An error in words for people. */
export interface ErrorExplanation {
  /** What is wrong, one line. */
  title: string;
  /** What to do. */
  fix?: string;
  /** Where it is, and whatever else was asked for; lines. */
  more?: readonly string[];
}

/** The words for every error code. A code that is missing here does not compile. */
export const errorMessages = {
  CONFIG_NOT_FOUND: ({ message, details }) => ({
    title: message,
    fix:
      details?.similar === undefined
        ? "Run kindlm init to create one, or name your config with -c"
        : `Did you mean "${details.similar}"?`,
  }),
  CONFIG_PARSE_ERROR: ({ message }) => ({ title: `Config error: ${message}` }),
  CONFIG_VALIDATION_ERROR: ({ message }) => ({ title: `Config error: ${message}` }),
  CONFIG_FILE_REF_ERROR: ({ message, details }) => ({
    title: message,
    fix: referencedIn(details?.referencedIn) ?? "Paths are relative to the file that names them",
  }),
  PROVIDER_NOT_FOUND: ({ message, details }) => ({
    title: message,
    fix:
      details === undefined
        ? "Declare it under providers in the config"
        : `Known providers: ${details.known.join(", ")}`,
  }),
  PROVIDER_AUTH_ERROR: ({ message, details }) => {
    if (details?.remedy !== undefined) {
      return { title: message.replace(` ${details.remedy}`, ""), fix: details.remedy };
    }
    // The key of a 403 may be perfectly good, so the server's own words are more helpful.
    return details?.status === 403
      ? { title: message, fix: `Check the permissions of the key in ${details.apiKeyEnv ?? "use"}` }
      : {
          title: `${details?.provider ?? "Provider"} API key is invalid or missing`,
          fix:
            details === undefined
              ? "Set the provider's API key in your environment or .env file"
              : keyFix(details.apiKeyEnv),
        };
  },
  PROVIDER_RATE_LIMIT: ({ details }) => ({
    title: `${details?.provider ?? "Provider"} rate limit hit.${retryAfter(details?.retryAfterMs)}`,
    fix: [
      details?.notRetried === undefined
        ? "Reduce concurrency with --concurrency 1 or add retry config"
        : `Not retried: ${details.notRetried}`,
      ...(details?.fallbacks ?? []).map(({ model, message }) => `Fallback ${model}: ${message}`),
    ].join("\n"),
  }),
  PROVIDER_TIMEOUT: ({ message }) => ({
    title: message,
    fix: "Increase timeouts in the config, or try again later",
  }),
  PROVIDER_API_ERROR: ({ message, details }) => ({
    title: message,
    fix:
      details?.quota === true
        ? "Add credit to the account, or raise its spending limit"
        : (details?.status ?? 0) >= 500
          ? "The provider has a problem. Try again later, or retry more with --retry aggressive"
          : "Check the model's name and params. --verbose shows the full response",
  }),
  PROVIDER_NETWORK_ERROR: ({ message, details }) => ({
    title: message,
    fix:
      details?.systemCode === "ENOTFOUND" || details?.systemCode === "ECONNREFUSED"
        ? "Check base_url, and that the server is running"
        : /CERT|SIGNED|ISSUER|VERIFY/.test(details?.systemCode ?? "")
          ? "Set NODE_EXTRA_CA_CERTS to a file that contains the certificate of its issuer"
          : details?.brokeOff === true
            ? "Run kindlm test --resume. If the connection breaks again, check the server and any proxy"
            : "Check the connection, proxy settings and base_url",
  }),
  PROVIDER_CIRCUIT_OPEN: ({ message, details }) => ({
    title: message,
    fix:
      details?.keyRefused === true
        ? keyFix(details.apiKeyEnv)
        : "Fix the cause shown above, or raise circuit_breaker.failures in the config",
  }),
  PROVIDER_CASSETTE_MISS: ({ message }) => ({
    title: message,
    fix: missFix,
  }),
  GATEWAY_REFUSED: ({ message }) => ({
    title: message,
    fix: "Choose a model whose provider has the API that the agent uses, or remove what was refused from its requests. See: https://kindlm.com/docs/proxy",
  }),
  ASSERTION_EVAL_ERROR: ({ message }) => ({
    title: message,
    fix: "The check itself failed, so the test has no verdict. --verbose shows the stack trace",
  }),
  SCHEMA_FILE_ERROR: ({ message, details }) => withFix(message, referencedIn(details?.referencedIn)),
  JUDGE_EVAL_ERROR: ({ message, details }) => ({ title: message, fix: judgeFix(details?.causedBy) }),
  SIMULATED_USER_ERROR: ({ message, details }) => ({
    title: message,
    fix:
      details?.causedBy?.limit === undefined
        ? "This is not a failure of the agent. Check the model under simulated_user; --verbose shows its reply"
        : `Raise limits.${details.causedBy.limit} to allow more`,
  }),
  ENGINE_MAX_TURNS: ({ message }) => ({ title: message, fix: "Raise limits.max_turns if the task needs more turns" }),
  ENGINE_EMPTY_RESPONSE: ({ message }) => ({ title: message, fix: "Raise params.max_tokens, or check the prompt" }),
  ENGINE_TIMEOUT: ({ message, details }) => ({
    title: message,
    fix:
      details?.hint ??
      (details?.scope === "run" ? "Raise timeouts.run" : "Raise the limit with --timeout or timeouts.trial"),
  }),
  ENGINE_BUDGET_EXCEEDED: ({ message, details }) => ({
    title: message,
    fix: `Raise ${keyOfLimit(details?.limit ?? "max_cost")} to allow more`,
  }),
  ENGINE_ABORTED: ({ message, details }) => ({
    title: message,
    fix:
      details?.resumedCalls === undefined
        ? (details?.hint ?? "Resume the run: kindlm test --resume")
        : "Rerun the case with all its calls: kindlm test --rerun-failed",
  }),
  ENGINE_FIXTURE_ERROR: ({ message, details }) => ({
    title: message,
    fix: details?.hint ?? "Fix the test: as written, it proves nothing",
  }),
  TARGET_ERROR: ({ message, details }) => ({
    title: message,
    fix:
      details?.hint ??
      (details?.kind === "not_found"
        ? "Check the target: its program, the address of the service, or the export of the module"
        : "Run the agent by hand. --verbose shows its output"),
  }),
  BASELINE_NOT_FOUND: ({ message, details }) => ({
    title: details === undefined ? message : `Baseline not found for suite "${details.suite}"`,
    fix: details?.similar === undefined ? "Run: kindlm baseline set" : `Did you mean "${details.similar}"?`,
  }),
  BASELINE_CORRUPT: ({ message, details }) => ({
    title: message,
    fix: details?.hint ?? "Restore it from git, or run: kindlm baseline set",
  }),
  BASELINE_VERSION_MISMATCH: ({ message, details }) => ({
    title: message,
    fix:
      details !== undefined && details.found > details.supported
        ? "Upgrade KindLM, or run: kindlm baseline set"
        : "Run: kindlm baseline set",
  }),
  BASELINE_REFUSED: ({ message, details }) => withFix(message, details?.hint),
  CLOUD_AUTH_ERROR: ({ message, details }) => ({ title: message, fix: details?.hint ?? "Run: kindlm login" }),
  CLOUD_UPLOAD_ERROR: ({ message, details }) => ({ title: message, fix: details?.hint ?? "Run: kindlm upload" }),
  CLOUD_PLAN_LIMIT: ({ message, details }) =>
    withFix(message, details?.upgradeUrl === undefined ? undefined : `See: ${details.upgradeUrl}`),
  CLOUD_RATE_LIMIT: ({ message, details }) => ({
    title: `${message}${retryAfter(details?.retryAfterMs)}`,
    fix: "Try again later",
  }),
  STORE_WRITE_ERROR: ({ message }) => ({ title: message, fix: "Check the free disk space and the permissions" }),
  STORE_CORRUPT: ({ message, details }) => ({ title: message, fix: corruptFix(details?.path, details?.writtenBy) }),
  STORE_LOCKED: ({ message, details }) => ({
    title: message,
    fix: `Wait until it ends. If no such process exists${details === undefined ? "" : `, remove ${details.path}`}`,
  }),
  RUN_NOT_FOUND: ({ message, details }) => ({
    title: message,
    fix:
      details?.isUnfinished === true
        ? `Resume it: kindlm test --resume --run ${details.run}`
        : missingRunFixes[details?.reason ?? "unknown"],
  }),
  MERGE_REFUSED: ({ message, details }) =>
    details === undefined ? { title: message } : { title: message, fix: details.hint },
  TRANSCRIPT_INVALID: ({ message, details }) => ({
    title: message,
    // What was received is in no file.
    fix:
      details?.path === ""
        ? "See https://kindlm.com/docs/traces#receive-traces"
        : "See the format of a line: https://kindlm.com/docs/transcripts, and of spans: https://kindlm.com/docs/traces",
  }),
  UNKNOWN_ERROR: ({ message }) => ({
    title: `Unexpected error: ${message}`,
    fix: "This is a bug in KindLM or in a plugin. --verbose shows the stack trace",
  }),
} satisfies { [C in ErrorCode]: (error: KindlmErrorOf<C>) => ErrorExplanation };

const missFix = "Record everything again with --cassette record, or only what is missing with --cassette auto";

function keyFix(apiKeyEnv: string | undefined): string {
  return apiKeyEnv === undefined
    ? "Set api_key_env in the provider's settings to the variable that contains the key"
    : `Set ${apiKeyEnv} in your environment or .env file`;
}

const workspaceLimits = new Set(["size", "files", "processes", "time"]);

function keyOfLimit(limit: string): string {
  return workspaceLimits.has(limit) ? `workspace.limits.${limit}` : `limits.${limit}`;
}

/** Where the conversation is there already, only the judge is asked again. */
function judgeFix(cause: { code: string; limit?: string } | undefined): string {
  if (cause?.limit !== undefined) return `Raise limits.${cause.limit} to allow more: kindlm test --resume`;
  if (cause?.code === "PROVIDER_CASSETTE_MISS") return missFix;
  return "Call only the judge again: kindlm test --resume. --verbose shows its reply";
}

const missingRunFixes = {
  none: "Run: kindlm test",
  several: "Use a longer prefix of the ID; kindlm runs lists all runs",
  nothing_to_rerun: "Run all tests: kindlm test",
  unknown: "Run: kindlm runs list",
} as const;

/** What to do depends on what can be had again: a result comes from its journal, a journal from nowhere. */
function corruptFix(path: string | undefined, writtenBy: string | undefined): string {
  if (writtenBy !== undefined) return `Use KindLM ${writtenBy} to read it, or start a new run: kindlm test`;
  const parts = path?.split(/[\\/]/) ?? [];
  const file = parts.at(-1);
  const run = parts.at(-2) ?? "last";
  if (file === "run.json") return `Remove the file, then write it again: kindlm test --resume --run ${run}`;
  if (file === "journal.jsonl") return "Start a new run: kindlm test";
  return "Move the file away and run again";
}

function referencedIn(place: string | undefined): string | undefined {
  return place === undefined ? undefined : `Referenced in ${place}`;
}

function withFix(title: string, fix: string | undefined): ErrorExplanation {
  return fix === undefined ? { title } : { title, fix };
}

function retryAfter(ms: number | undefined): string {
  if (ms === undefined) return "";
  const seconds = Math.ceil(ms / 1_000);
  return ` Retry after ${seconds} second${seconds === 1 ? "" : "s"}.`;
}
