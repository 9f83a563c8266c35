import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";

/** How a program failed as an agent. */
export type TargetErrorKind = "unexpected_message" | "malformed_message" | "not_found" | "unexpected";

export function targetError(kind: TargetErrorKind, message: string, cause?: unknown): KindlmError {
  return kindlmError("TARGET_ERROR", message, { details: { kind }, ...(cause === undefined ? {} : { cause }) });
}
