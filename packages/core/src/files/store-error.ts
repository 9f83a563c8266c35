import { messageOf } from "../errors/message-of.js";
import { kindlmError, type KindlmErrorOf } from "../errors/kindlm-error.js";

/** `ENOSPC` and similar; null unless it is an error of the system. */
export function systemCodeOf(cause: unknown): string | null {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : null;
}

/** What was not written, and why. `shown` is how people know the file. */
export function writeError(shown: string, cause: unknown): KindlmErrorOf<"STORE_WRITE_ERROR"> {
  const systemCode = systemCodeOf(cause);
  const details = systemCode === null ? { path: shown } : { path: shown, systemCode };
  return kindlmError("STORE_WRITE_ERROR", `Cannot write ${shown}: ${messageOf(cause)}`, { details, cause });
}

/** What can no longer be read, and why. */
export function readError(shown: string, cause: unknown): KindlmErrorOf<"STORE_CORRUPT"> {
  return kindlmError("STORE_CORRUPT", `Cannot read ${shown}: ${messageOf(cause)}`, {
    details: { path: shown },
    cause,
  });
}
