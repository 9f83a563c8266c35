import type { LimitName } from "./limit-name.js";
import type { CassetteMissDetails } from "./cassette-miss-details.js";
import type { CodelessDiagnostic } from "./diagnostic-fields.js";
import type { JudgeErrorDetails } from "./judge-error-details.js";
import type { ProviderErrorDetails } from "./provider-error-details.js";
import type { GatewayChange } from "./gateway-change.js";
import type { PlanDetails, ServerErrorDetails } from "./server-error-details.js";
import type { MissingRun, SimulatedUserDetails, StoreDetails } from "./shared-details.js";

/** Whose doing an error is. Errors of the agent stay in the denominator of rates, all others leave it. */
export type Attribution = "agent" | "outside";

/** Whether the same call may work when made again; `by-status` is decided from the HTTP status and the retry preset. */
export type Retryability = "yes" | "no" | "by-status" | "not-applicable";

/**
 * Where in the work a failure lies: with the model's API, with a tool, on the network, in what was written or answered
 * in a wrong shape, or in a service around them (the runner itself, its store, a target).
 */
export const failureCategories = ["llm_api", "tool", "network", "validation", "service"] as const;
export type FailureCategory = (typeof failureCategories)[number];

export interface ErrorDefinition<Details> {
  readonly number: number;
  /** When it happens, as a sentence for people. */
  readonly when: string;
  readonly retried: Retryability;
  readonly attribution: Attribution;
  readonly category: FailureCategory;
  /** Exists for the type only: what `details` of an error with this code holds. */
  readonly details?: Details;
}

/** One problem of a config, with all that is needed to show it without the file at hand. */
export interface Diagnostic extends CodelessDiagnostic {
  code: keyof typeof errorTable;
}

/** Where something is written: a position in a file, a path in an object, or both in a module. */
export type DiagnosticPlace = Pick<Diagnostic, "position" | "path">;

interface ConfigDetails {
  diagnostics: readonly Diagnostic[];
}

interface ReferenceDetails {
  path: string;
  /** Where the file is named, such as `suite "order-agent", test "happy-path"`. */
  referencedIn?: string;
  diagnostics?: readonly Diagnostic[];
}

interface TargetDetails {
  /**
   * `not_found`: the program, address or module does not exist; `unexpected`: it crashed or said that it cannot answer;
   * `untraced`: its spans did not arrive, or cannot be read.
   */
  kind: "unexpected_message" | "malformed_message" | "not_found" | "unexpected" | "untraced";
  hint?: string;
  /** How the program ended, when it did; null when a signal ended it. */
  exitCode?: number | null;
  /** HTTP status of the reply. */
  status?: number;
  /** What it said: a message or the start of a reply that could not be understood. */
  body?: string;
  /** The end of what the program wrote to stderr. */
  stderr?: string;
}

function code<Details = Record<string, unknown>>(
  number: number,
  retried: Retryability,
  when: string,
  attribution: Attribution = "outside",
): ErrorDefinition<Details> {
  return { number, when, retried, attribution, category: categoryOfNumber(number) };
}

/** The hundreds of a number say what an error is about; 205 alone is another thing than its neighbors. */
function categoryOfNumber(number: number): FailureCategory {
  if (number === 205) return "network";
  if (number < 200 || number === 301 || number === 405) return "validation";
  return number < 300 || number === 302 || number === 303 ? "llm_api" : "service";
}

/** The one declaration of every error code. Messages, types and docs follow from it. */
export const errorTable = {
  /** `similar`: a file next to it that the user may have meant, as the user would type it. */
  CONFIG_NOT_FOUND: code<{ path: string; similar?: string }>(100, "not-applicable", "The config file does not exist."),
  CONFIG_PARSE_ERROR: code<ConfigDetails>(
    101,
    "not-applicable",
    "The config file is not valid YAML, or its module cannot be loaded.",
  ),
  CONFIG_VALIDATION_ERROR: code<ConfigDetails>(
    102,
    "not-applicable",
    "The config breaks its schema, or two parts of it contradict each other.",
  ),
  CONFIG_FILE_REF_ERROR: code<ReferenceDetails>(
    103,
    "not-applicable",
    "A file that the config names is missing or cannot be read.",
  ),
  PROVIDER_NOT_FOUND: code<{ provider: string; known: readonly string[]; diagnostics?: readonly Diagnostic[] }>(
    200,
    "not-applicable",
    "The config names a provider that does not exist.",
  ),
  PROVIDER_AUTH_ERROR: code<ProviderErrorDetails>(
    201,
    "no",
    "The API key is missing, or the provider refused it (401, 403).",
  ),
  PROVIDER_RATE_LIMIT: code<ProviderErrorDetails>(
    202,
    "yes",
    "The provider answered 429, and not because the quota is exhausted.",
  ),
  PROVIDER_TIMEOUT: code<ProviderErrorDetails>(
    203,
    "yes",
    "The provider answered 408, or a connect, header, idle or request deadline passed.",
  ),
  PROVIDER_API_ERROR: code<ProviderErrorDetails>(
    204,
    "by-status",
    "The provider answered with any other error status, with a success whose body is not what it promises, or said that the quota is exhausted.",
  ),
  PROVIDER_NETWORK_ERROR: code<ProviderErrorDetails>(
    205,
    "yes",
    "The connection failed: DNS, refused, reset, TLS, or cut in the middle of the body.",
  ),
  PROVIDER_CIRCUIT_OPEN: code<ProviderErrorDetails>(
    206,
    "not-applicable",
    "The circuit breaker refused the call without a request, because the provider kept failing.",
  ),
  PROVIDER_CASSETTE_MISS: code<CassetteMissDetails>(207, "no", "Strict replay found no recording of this request."),
  GATEWAY_REFUSED: code<{ api: string; refused: readonly GatewayChange[] }>(
    208,
    "no",
    "The agent asked its model something that the gateway cannot pass on to the model of the test.",
  ),
  ASSERTION_EVAL_ERROR: code<{ type: string }>(300, "not-applicable", "The code of an assertion failed."),
  SCHEMA_FILE_ERROR: code<ReferenceDetails>(
    301,
    "not-applicable",
    "A JSON Schema is missing, unreadable or does not compile.",
  ),
  JUDGE_EVAL_ERROR: code<JudgeErrorDetails>(302, "no", "The judge gave no usable score, even after its own retries."),
  SIMULATED_USER_ERROR: code<SimulatedUserDetails>(
    303,
    "no",
    "The model that plays the user could not be asked, or wrote nothing that a user could have said, even when asked again.",
  ),
  ENGINE_MAX_TURNS: code<{ maxTurns: number }>(
    400,
    "not-applicable",
    "The agent was still calling tools after max_turns turns.",
    "agent",
  ),
  ENGINE_EMPTY_RESPONSE: code<{ finishReason?: string }>(
    401,
    "not-applicable",
    "The model answered with neither text nor tool calls.",
    "agent",
  ),
  ENGINE_TIMEOUT: code<{ scope: "trial" | "run"; ms: number; stderr?: string; hint?: string }>(
    402,
    "not-applicable",
    "The deadline of the trial or of the run passed.",
  ),
  ENGINE_BUDGET_EXCEEDED: code<{ limit: LimitName; value: number }>(
    403,
    "not-applicable",
    "A limit was used up: max_cost, max_trial_cost, max_tool_calls, or one of those of the workspace.",
  ),
  ENGINE_ABORTED: code<{ signal?: string; resumedCalls?: number; hint?: string }>(
    404,
    "not-applicable",
    "The user interrupted the run.",
  ),
  ENGINE_FIXTURE_ERROR: code<{ hint?: string; [key: string]: unknown }>(
    405,
    "not-applicable",
    "The test's own fixture is wrong, so its verdict would mean nothing.",
  ),
  TARGET_ERROR: code<TargetDetails>(
    406,
    "not-applicable",
    "A command, HTTP or module target crashed or broke its protocol.",
    "agent",
  ),
  BASELINE_NOT_FOUND: code<{ suite: string; similar?: string }>(500, "not-applicable", "No baseline was saved."),
  BASELINE_CORRUPT: code<{ suite: string; path: string; hint?: string }>(
    501,
    "not-applicable",
    "The baseline cannot be parsed, or its checksum is wrong.",
  ),
  BASELINE_VERSION_MISMATCH: code<{ suite: string; found: number; supported: number }>(
    502,
    "not-applicable",
    "The baseline was written by an incompatible version.",
  ),
  BASELINE_REFUSED: code<{ hint: string }>(503, "not-applicable", "The run cannot become a baseline."),
  CLOUD_AUTH_ERROR: code<ServerErrorDetails>(
    600,
    "no",
    "Not logged in to the results server, the token expired (401), or it lacks a scope (403).",
  ),
  CLOUD_UPLOAD_ERROR: code<ServerErrorDetails>(
    601,
    "yes",
    "The results server was not reached or did not accept what was sent.",
  ),
  CLOUD_PLAN_LIMIT: code<ServerErrorDetails & PlanDetails>(
    602,
    "no",
    "The feature needs another plan (403 with plan_required).",
  ),
  CLOUD_RATE_LIMIT: code<ServerErrorDetails>(603, "yes", "The results server answered 429."),
  STORE_WRITE_ERROR: code<StoreDetails>(
    700,
    "not-applicable",
    "A report, journal or cassette could not be written: disk full, permissions.",
  ),
  STORE_CORRUPT: code<StoreDetails>(
    701,
    "not-applicable",
    "A journal or cassette is damaged beyond its torn last line.",
  ),
  STORE_LOCKED: code<StoreDetails>(702, "not-applicable", "Another process holds this run."),
  RUN_NOT_FOUND: code<MissingRun>(703, "not-applicable", "The run was not found."),
  MERGE_REFUSED: code<{ hint: string }>(
    704,
    "not-applicable",
    "The runs that are to be merged are not all the shards of one run, each once.",
  ),
  TRANSCRIPT_INVALID: code<{ path: string; diagnostics: readonly Diagnostic[] }>(
    705,
    "not-applicable",
    "A file of transcripts cannot be read, or lines of it cannot be scored.",
  ),
  UNKNOWN_ERROR: code(999, "not-applicable", "Anything unexpected; the cause is kept."),
} as const;
