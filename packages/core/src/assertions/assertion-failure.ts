import { kindlmError, type KindlmErrorOf } from "../errors/kindlm-error.js";
import { failure, type Failure } from "../result.js";
import type { Trial } from "../transcript/trial.js";

/** The assertion of this type could not be evaluated, which says nothing about the agent. */
export function evalError(
  type: string,
  message: string,
  cause?: unknown,
): Failure<KindlmErrorOf<"ASSERTION_EVAL_ERROR">> {
  const details = { type };
  return failure(kindlmError("ASSERTION_EVAL_ERROR", message, cause === undefined ? { details } : { details, cause }));
}

/** The trial, often one recorded elsewhere, lacks what the assertion reads. */
export function missingField(type: string, field: keyof Trial): Failure<KindlmErrorOf<"ASSERTION_EVAL_ERROR">> {
  return evalError(type, `The "${type}" assertion reads ${field}, which the trial does not have`);
}
