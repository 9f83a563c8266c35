import { list } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { count, flag, oneOf, text } from "../shape/scalars.js";
import type { Shape, Static } from "../shape/shape.js";

export const toolErrorTypes = ["validation", "runtime", "logical", "aborted", "exception"] as const;

/** Why a tool call did not succeed, in the terms that the model sees. */
export type ToolErrorType = (typeof toolErrorTypes)[number];

/** A tool call that did not succeed. It is an answer to the model, never an error of the run. */
export const toolFailureShape = record(
  { errorType: oneOf(toolErrorTypes), message: text, retryable: flag },
  { recommendations: list(text) },
);
export type ToolFailure = Static<typeof toolFailureShape>;

/** Calls of tools that ended in an error, by type. */
export const toolErrorsShape: Shape<Partial<Record<ToolErrorType, number>>> = record(
  {},
  { validation: count, runtime: count, logical: count, aborted: count, exception: count },
);
