import { messageOf } from "./message-of.js";
import type { ErrorOrigin } from "./error-origin.js";
import {
  errorTable,
  type Diagnostic,
  type ErrorDefinition,
  type FailureCategory,
  type Attribution,
} from "./error-table.js";

export type { ErrorOrigin } from "./error-origin.js";

export type ErrorCode = keyof typeof errorTable;

type DetailsOf<C extends ErrorCode> = (typeof errorTable)[C] extends ErrorDefinition<infer Details> ? Details : never;

export interface KindlmErrorOf<C extends ErrorCode> {
  code: C;
  /** One or two sentences for people. */
  message: string;
  details?: DetailsOf<C>;
  origin?: ErrorOrigin;
  /** The original error, kept for its stack. */
  cause?: Error;
}

/** An error as data: a union on `code`, so that `details` is typed once the code is known. */
export type KindlmError = { [C in ErrorCode]: KindlmErrorOf<C> }[ErrorCode];

export interface ErrorContext<C extends ErrorCode> {
  details?: DetailsOf<C>;
  cause?: unknown;
}

/** Creates an error. A cause that is not an Error is wrapped in one. */
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
export function attributionOf(error: KindlmError): Attribution {
  if (error.code === "ENGINE_BUDGET_EXCEEDED") {
    const limit = error.details?.limit ?? "max_cost";
    return limit === "max_cost" || limit === "max_trial_cost" ? "outside" : "agent";
  }
  // An agent that is not there was never tested.
  if (error.code === "TARGET_ERROR" && isOutside(error.details?.kind)) return "outside";
  return errorTable[error.code].attribution;
}

/** An agent whose spans nobody has was tested, but nobody knows what it did. */
function isOutside(kind: string | undefined): boolean {
  return kind === "not_found" || kind === "untraced";
}

/** Where the failure lies. A connection that could not be made in time is the network's doing, not the model's. */
export function categoryOf(error: KindlmError): FailureCategory {
  if (error.code === "PROVIDER_TIMEOUT" && error.details?.timeout?.kind === "connect") return "network";
  return errorTable[error.code].category;
}

/** The error with where it happened; what is known of that already is kept. */
export function locateError(error: KindlmError, origin: ErrorOrigin): KindlmError {
  return { ...error, origin: { ...origin, ...error.origin } };
}

/** The error with more details, and with another message if there is one. */
export function withDetails(error: KindlmError, details: object, message = error.message): KindlmError {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the spread keeps code and details together
  return { ...error, message, details: { ...error.details, ...details } } as KindlmError;
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorTable, text);
}

function asError(cause: unknown): Error {
  if (cause instanceof Error) return cause;
  return new Error(typeof cause === "string" ? cause : `Thrown value: ${messageOf(cause)}`);
}

/** The problems that an error carries; none for most. */
export function diagnosticsOf(error: KindlmError): readonly Diagnostic[] {
  switch (error.code) {
    case "CONFIG_PARSE_ERROR":
    case "CONFIG_VALIDATION_ERROR":
    case "CONFIG_FILE_REF_ERROR":
    case "SCHEMA_FILE_ERROR":
    case "PROVIDER_NOT_FOUND":
    case "TRANSCRIPT_INVALID":
      return error.details?.diagnostics ?? [];
    default:
      return [];
  }
}
