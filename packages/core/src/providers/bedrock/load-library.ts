import { attempt } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";

/** Imports a library by its name. */
export type ImportLibrary = (name: string) => Promise<unknown>;

export interface LibraryProblem {
  /** True when the library is not installed, false when it is but does not load. */
  isMissing: boolean;
  message: string;
  cause?: unknown;
}

/** The name is a value, because the libraries are optional: no build and no check may ask for them. */
export const importInstalled: ImportLibrary = (name) => import(name);

/** One export of an optional library, if it is a function. */
export async function loadFunction<T>(
  name: string,
  exported: string,
  importLibrary: ImportLibrary,
  isWanted: (value: unknown) => value is T,
): Promise<Result<T, LibraryProblem>> {
  const loaded = await attempt(
    () => importLibrary(name),
    (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
  );
  if (!loaded.success) {
    const { message, cause } = loaded.error;
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
    if (isMissing && message.includes(name)) return failure({ isMissing, message: `${name} is not installed`, cause });
    return failure({ isMissing: false, message: `${name} cannot be loaded: ${message}`, cause });
  }
  const value = isRecord(loaded.data) ? loaded.data[exported] : undefined;
  return isWanted(value)
    ? success(value)
    : failure({ isMissing: false, message: `${name} has no ${exported}, so KindLM does not know this version` });
}
