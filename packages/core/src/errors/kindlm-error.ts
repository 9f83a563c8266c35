import { errorTable, type ErrorDefinition, type Fault } from "./error-table.js";

export type ErrorCode = keyof typeof errorTable;

type DetailsOf<C extends ErrorCode> = (typeof errorTable)[C] extends ErrorDefinition<infer Details> ? Details : never;

export interface KindlmErrorOf<C extends ErrorCode> {
  code: C;
  /** One or two sentences for people. */
  message: string;
  details?: DetailsOf<C>;
  /** The original error, kept for its stack. */
  cause?: Error;
}

/** An error as data: a union on `code`, so that `details` is typed once the code is known. */
export type KindlmError = { [C in ErrorCode]: KindlmErrorOf<C> }[ErrorCode];

export interface ErrorContext<C extends ErrorCode> {
  details?: DetailsOf<C>;
  cause?: unknown;
}

/** Makes an error. A cause that is no Error is wrapped in one. */
export function kindlmError<C extends ErrorCode>(
  code: C,
  message: string,
  context: ErrorContext<C> = {},
): KindlmErrorOf<C> {
  const error: KindlmErrorOf<C> = { code, message };
  if (context.details !== undefined) error.details = context.details;
  if (context.cause !== undefined) error.cause = asError(context.cause);
  return error;
}

export function errorNumber(code: ErrorCode): number {
  return errorTable[code].number;
}

/** Whose doing it is: errors of the agent count as not passed, all others leave the denominator. */
export function faultOf(error: KindlmError): Fault {
  if (error.code === "ENGINE_BUDGET_EXCEEDED") {
    return error.details?.limit === "max_tool_calls" ? "agent" : "outside";
  }
  return errorTable[error.code].fault;
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorTable, text);
}

function asError(cause: unknown): Error {
  if (cause instanceof Error) return cause;
  return new Error(typeof cause === "string" ? cause : `Thrown value: ${String(cause)}`);
}
