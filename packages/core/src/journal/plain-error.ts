import type { KindlmError } from "../errors/kindlm-error.js";
import { isRecord } from "../values/json.js";

const deepestCause = 5;

/** An error that JSON can carry: it knows none of the parts of an Error. */
export function plainError<E extends KindlmError>(error: E): E {
  return error.cause === undefined ? error : { ...error, cause: plainCause(error.cause, 0) };
}

function plainCause({ name, message, stack, cause }: Error, depth: number): Error {
  const plain: Error = { name, message };
  if (stack !== undefined) plain.stack = stack;
  if (cause instanceof Error && depth < deepestCause) plain.cause = plainCause(cause, depth + 1);
  return plain;
}

/** An error as it was before it was written: its cause is an Error again. */
export function reviveError<E extends KindlmError>(error: E): E {
  return error.cause === undefined ? error : { ...error, cause: reviveCause(error.cause) };
}

function reviveCause({ name, message, stack, cause }: Error): Error {
  const revived = new Error(message);
  // As a class has it: no key of the error itself.
  if (name !== revived.name)
    Object.defineProperty(revived, "name", { value: name, configurable: true, writable: true });
  revived.stack = stack ?? "";
  if (isPlainCause(cause)) revived.cause = reviveCause(cause);
  return revived;
}

function isPlainCause(cause: unknown): cause is Error {
  return isRecord(cause) && typeof cause["name"] === "string" && typeof cause["message"] === "string";
}
