import { errorNumber, type KindlmError } from "@kindlm/core";

/** What `--json` prints of why a baseline cannot be used. */
export function reportedError(error: KindlmError | null): unknown {
  return error === null ? null : { code: error.code, number: errorNumber(error.code), message: error.message };
}
