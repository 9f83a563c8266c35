import {
  createSystemClock,
  type Clock,
  type ErrorCode,
  type KindlmError,
  type RunEvent,
  type RunResult,
  type KindlmErrorOf,
} from "@kindlm/core";
import { explainError } from "../errors/explain-error.js";
import type { RunMessages } from "./run-messages.js";

type Level = "info" | "warn" | "error";

/** One line, without the run and the time. */
interface LogEntry {
  level: Level;
  /** Null for what is not an error. */
  code: ErrorCode | null;
  message: string;
  more?: Readonly<Record<string, unknown>>;
}

/** Structured lines as log collectors want them. Never prompts, answers or bodies: see {@link loggedMessage}. */
export class LogLines implements RunMessages {
  readonly format = "json";
  readonly #clock: Pick<Clock, "now">;
  #runId: string | null = null;

  constructor(clock: Pick<Clock, "now"> = createSystemClock()) {
    this.#clock = clock;
  }

  /** A line for the event; undefined when it is not worth one. */
  event(event: RunEvent): string | undefined {
    if (event.type === "run:start") this.#runId = event.runId;
    const entry = entryOf(event);
    return entry === undefined ? undefined : this.#line(entry, event.time);
  }

  error(error: KindlmError): string {
    const { code } = error;
    const messages = isOwnWords(code) ? explainError(error, false).map(({ title }) => title) : [loggedMessage(error)];
    return messages.map((message) => this.#line({ level: "error", code, message })).join("");
  }

  remark({ title }: { title: string }): string {
    return this.advice(title);
  }

  advice(message: string, level: Level = "warn"): string {
    return this.#line({ level, code: null, message });
  }

  diagnostics(diagnostics: readonly { code: ErrorCode; message: string }[]): string {
    return diagnostics.map((one) => this.warning(one)).join("");
  }

  warning(about: { code: ErrorCode; message: string }): string {
    return this.#line({ level: "warn", code: about.code, message: wordsOf(about) });
  }

  summary({ summary: counts, verdict, suites, gates }: RunResult): string {
    const { passed, failed, errored, skipped } = counts;
    const broken = suites.flatMap((suite): LogEntry[] => {
      if (suite.status !== "skipped") return [];
      const message = `A suite could not run: ${loggedMessage(suite.error)}`;
      return [{ level: "error", code: suite.error.code, message, more: { suite: suite.name } }];
    });
    const tripped = gates.flatMap((gate): LogEntry[] => {
      if (gate.pass) return [];
      return [{ level: "error", code: null, message: `A gate failed: ${gate.message}`, more: gateOf(gate) }];
    });
    const message = `Run ${verdict}: ${passed} passed, ${failed} failed, ${errored} errored, ${skipped} skipped`;
    const level = verdict === "passed" ? "info" : "error";
    return [...broken, ...tripped, { level, code: null, message } as const].map((entry) => this.#line(entry)).join("");
  }

  #line({ level, code, message, more = {} }: LogEntry, time = this.#clock.now()): string {
    const timestamp = new Date(time).toISOString();
    return `${JSON.stringify({ level, code, message, run_id: this.#runId, timestamp, ...more })}\n`;
  }
}

function entryOf(of: RunEvent): LogEntry | undefined {
  switch (of.type) {
    case "run:start":
      return info(`Run started: ${of.cases} cases, ${of.trials} trials`);
    case "run:end":
      return of.interrupted ? { level: "warn", code: null, message: "Run interrupted" } : info("Run ended");
    case "retry:start": {
      const more = { case: of.caseId, provider: of.provider, wait_ms: of.waitMs };
      return { level: "warn", code: of.error.code, message: `Waiting to try again: ${loggedMessage(of.error)}`, more };
    }
    case "limiter": {
      if (of.pausedMs === 0) return undefined;
      const more = { provider: of.provider, model: of.model, wait_ms: of.pausedMs, limit: of.limit };
      if (of.because === "waiting") return info("Requests are waiting to stay within the provider's limits", more);
      return { level: "warn", code: "PROVIDER_RATE_LIMIT", message: "Requests are waiting for a rate limit", more };
    }
    case "breaker": {
      const more = { provider: of.provider, model: of.model };
      return { level: of.state === "open" ? "error" : "info", code: null, message: `Circuit ${of.state}`, more };
    }
    case "fallback": {
      const more = { case: of.caseId, from: of.from, to: of.to };
      return { level: "warn", code: of.error.code, message: "A fallback model answers", more };
    }
    case "try:rejected": {
      const more = { case: of.caseId, trial: of.trial, user_turn: of.userTurn, try: of.try };
      return info("An answer was rejected", more);
    }
    case "tool:fallback": {
      const more = { case: of.caseId, tool: of.tool, by: of.by };
      const message = `A fallback answers for a tool: ${of.reason.errorType} error`;
      return { level: "warn", code: null, message, more };
    }
    case "nudge":
      return info("The agent is nudged", { case: of.caseId, tool: of.tool });
    case "file_changed": {
      const at = of.modifiedAt === null ? null : new Date(of.modifiedAt).toISOString();
      const more = { case: of.caseId, trial: of.trial, path: of.path, modified_at: at };
      return info(`A file was ${of.change} outside of the file tools`, more);
    }
    case "case:end":
      return caseEntry(of.result);
    case "error":
      return errorEntry(of);
    default:
      return undefined;
  }
}

function info(message: string, more?: LogEntry["more"]): LogEntry {
  return { level: "info", code: null, message, ...(more === undefined ? {} : { more }) };
}

function caseEntry(result: Extract<RunEvent, { type: "case:end" }>["result"]): LogEntry {
  const more = { case: result.id, status: result.status };
  if (result.status !== "errored") return info(`Case ${result.status}`, more);
  return { level: "error", code: result.error.code, message: loggedMessage(result.error), more };
}

/** The warnings at the end of the run have some errors, with how often they happened. */
function errorEntry(of: Extract<RunEvent, { type: "error" }>): LogEntry | undefined {
  const { error, severity: level, detail, caseId, trial } = of;
  if (detail?.["plugin"] !== undefined || error?.code === "STORE_WRITE_ERROR") return undefined;
  const message = error === undefined ? whatFailed(of) : loggedMessage(error);
  return { level, code: error?.code ?? null, message, more: caseId === undefined ? {} : { case: caseId, trial } };
}

/** The message itself is what a tool or a plugin said. */
function whatFailed({ phase, detail = {} }: Extract<RunEvent, { type: "error" }>): string {
  const { tool, errorType } = detail;
  if (typeof tool !== "string") return `Something failed: ${phase}`;
  return `Tool ${tool} failed${typeof errorType === "string" ? `: ${errorType} error` : ""}`;
}

function gateOf(gate: RunResult["gates"][number]): Record<string, string> {
  return gate.scope === "suite" ? { gate: gate.name, suite: gate.suite } : { gate: gate.name };
}

/** Of a plugin that failed, the log has its name and the hook. */
function wordsOf({ code, message }: { code: ErrorCode; message: string }): string {
  if (isOwnWords(code)) return message;
  const hook = /^Plugin "[^"]*": \w+/.exec(message)?.[0];
  return hook === undefined ? loggedMessage({ code, message }) : `${hook} failed`;
}

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
  GATEWAY_REFUSED: () => "The gateway cannot pass on a request of the agent",
  ASSERTION_EVAL_ERROR: ({ details }) => `An assertion could not be evaluated${details ? `: ${details.type}` : ""}`,
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
function loggedMessage<C extends ErrorCode>(error: KindlmErrorOf<C>): string {
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
