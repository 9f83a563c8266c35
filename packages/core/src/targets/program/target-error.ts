import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";

/** How a program failed as an agent. */
export type TargetErrorKind = "unexpected_message" | "malformed_message" | "not_found" | "unexpected" | "untraced";

/** What an agent did is not known, since its spans are not. */
export function untraced(message: string, hint?: string): KindlmError {
  const details = { kind: "untraced" as const, ...(hint === undefined ? {} : { hint }) };
  return kindlmError("TARGET_ERROR", message, { details });
}

export function targetError(kind: TargetErrorKind, message: string, cause?: unknown): KindlmError {
  return kindlmError("TARGET_ERROR", message, { details: { kind }, ...(cause === undefined ? {} : { cause }) });
}
