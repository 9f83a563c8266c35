import type { Clock } from "../values/clock.js";
import type { ToolErrorType } from "../transcript/tool-failure.js";

/** A failure as a tool source reports it; the runtime fills in the rest. */
export interface HandlerFailure {
  errorType: ToolErrorType;
  message: string;
  retryable?: boolean;
  recommendations?: readonly string[];
}

/** `broken`: the test's own fixture can not answer, which is nobody's answer to the model but the end of the trial. */
export type HandlerOutcome =
  | { ok: true; value: unknown }
  | { ok: false; failure: HandlerFailure }
  | { ok: false; failure: HandlerFailure; broken: true };

export interface HandlerContext {
  signal: AbortSignal;
  clock: Clock;
}

/** One tool of one trial: it may keep state between calls. A throw is a `runtime` error of the tool. */
export interface ToolHandler {
  execute(args: unknown, context: HandlerContext): Promise<HandlerOutcome>;
}

/** What the strings of a tool's answers may name beside `args`: the vars and the dataset row of the case. */
export type AnswerScope = Readonly<Record<string, unknown>>;
