import {
  createSystemClock,
  type Clock,
  type ErrorCode,
  type KindlmError,
  type RunEvent,
  type RunResult,
} from "@kindlm/core";
import { explainError } from "./explain-error.js";
import { isOwnWords, loggedMessage } from "./logged-message.js";

type Level = "info" | "warn" | "error";

/** Structured lines as log collectors want them. Never prompts, answers or bodies: see {@link loggedMessage}. */
export interface LogLines {
  /** Lines for the event; undefined when it is not worth one. */
  event(event: RunEvent): string | undefined;
  error(error: KindlmError): string;
  /** A warning in the words of the command line. */
  say(message: string): string;
  /** A warning about an error or a problem. */
  warn(about: { code: ErrorCode; message: string }): string;
  summary(result: RunResult): string;
}

export function createLogLines(clock: Pick<Clock, "now"> = createSystemClock()): LogLines {
  let runId: string | null = null;
  const line = (level: Level, code: ErrorCode | null, message: string, time = clock.now(), more = {}): string => {
    const written = { level, code, message, run_id: runId, timestamp: new Date(time).toISOString(), ...more };
    return `${JSON.stringify(written)}\n`;
  };
  const error = (of: KindlmError): string =>
    isOwnWords(of.code)
      ? explainError(of, false)
          .map(({ title }) => line("error", of.code, title))
          .join("")
      : line("error", of.code, loggedMessage(of));
  const event = (of: RunEvent): string | undefined => {
    switch (of.type) {
      case "run:start":
        runId = of.runId;
        return line("info", null, `Run started: ${of.cases} cases, ${of.trials} trials`, of.time);
      case "run:end":
        return line(of.interrupted ? "warn" : "info", null, of.interrupted ? "Run interrupted" : "Run ended", of.time);
      case "retry:start": {
        const more = { case: of.caseId, provider: of.provider, wait_ms: of.waitMs };
        return line("warn", of.error.code, `Waiting to try again: ${loggedMessage(of.error)}`, of.time, more);
      }
      case "limiter": {
        if (of.pausedMs === 0) return undefined;
        const more = { provider: of.provider, model: of.model, wait_ms: of.pausedMs, limit: of.limit };
        return of.because === "waiting"
          ? line("info", null, "Calls wait to keep the limits of the provider", of.time, more)
          : line("warn", "PROVIDER_RATE_LIMIT", "Calls wait for a rate limit", of.time, more);
      }
      case "breaker": {
        const more = { provider: of.provider, model: of.model };
        return line(of.state === "open" ? "error" : "info", null, `Circuit ${of.state}`, of.time, more);
      }
      case "fallback": {
        const more = { case: of.caseId, from: of.from, to: of.to };
        return line("warn", of.error.code, "A fallback answers", of.time, more);
      }
      case "try:rejected": {
        const more = { case: of.caseId, trial: of.trial, user_turn: of.userTurn, try: of.try };
        return line("info", null, "An answer was rejected", of.time, more);
      }
      case "tool:fallback": {
        const more = { case: of.caseId, tool: of.tool, by: of.by };
        return line("warn", null, `A fallback answers for a tool: ${of.reason.errorType} error`, of.time, more);
      }
      case "nudge":
        return line("info", null, "The agent is nudged", of.time, { case: of.caseId, tool: of.tool });
      case "case:end": {
        const { result } = of;
        const more = { case: result.id, status: result.status };
        if (result.status === "errored")
          return line("error", result.error.code, loggedMessage(result.error), of.time, more);
        return line("info", null, `Case ${result.status}`, of.time, more);
      }
      case "error": {
        // The warnings at the end of the run have it, with how often it happened.
        if (of.detail?.["plugin"] !== undefined || of.error?.code === "STORE_WRITE_ERROR") return undefined;
        const message = of.error === undefined ? whatFailed(of) : loggedMessage(of.error);
        const more = of.caseId === undefined ? {} : { case: of.caseId, trial: of.trial };
        return line(of.severity, of.error?.code ?? null, message, of.time, more);
      }
      default:
        return undefined;
    }
  };
  const summary = ({ summary: counts, verdict, suites, gates }: RunResult): string => {
    const { passed, failed, errored, skipped } = counts;
    const message = `Run ${verdict}: ${passed} passed, ${failed} failed, ${errored} errored, ${skipped} skipped`;
    const broken = suites.flatMap((suite) =>
      suite.status === "skipped"
        ? [
            line("error", suite.error.code, `A suite could not run: ${loggedMessage(suite.error)}`, undefined, {
              suite: suite.name,
            }),
          ]
        : [],
    );
    const tripped = gates.flatMap((gate) =>
      gate.pass ? [] : [line("error", null, `A gate failed: ${gate.message}`, undefined, gateOf(gate))],
    );
    return [...broken, ...tripped, line(verdict === "passed" ? "info" : "error", null, message)].join("");
  };
  return {
    event,
    error,
    summary,
    say: (message) => line("warn", null, message),
    warn: (about) => line("warn", about.code, wordsOf(about)),
  };
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
