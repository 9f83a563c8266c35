import {
  createSystemClock,
  type Clock,
  type ErrorCode,
  type KindlmError,
  type RunEvent,
  type RunResult,
} from "@kindlm/core";
import { explainError } from "../errors/explain-error.js";
import { isOwnWords, loggedMessage } from "./logged-message.js";
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

  advice(message: string): string {
    return this.#line({ level: "warn", code: null, message });
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
