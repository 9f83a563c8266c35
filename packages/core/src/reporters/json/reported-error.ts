import { categoryOf, errorNumber, type KindlmError } from "../../errors/kindlm-error.js";
import { redactValue } from "../../redaction/redact-value.js";
import type { JsonObject } from "../../values/json.js";

/** What a provider said, word for word: for `--verbose` only. */
const verboseDetails = new Set(["body", "partialText"]);

/** An error as the report has it; never its cause. */
export function reportedError(error: KindlmError, redact: (text: string) => string, verbose: boolean): JsonObject {
  const reported: JsonObject = {
    code: error.code,
    number: errorNumber(error.code),
    category: categoryOf(error),
    message: redact(error.message),
  };
  if (error.details !== undefined) {
    const kept = Object.entries(error.details).filter(([key]) => verbose || !verboseDetails.has(key));
    if (kept.length > 0) reported["details"] = redactValue(Object.fromEntries(kept), redact);
  }
  if (error.origin !== undefined) reported["origin"] = redactValue(error.origin, redact);
  return reported;
}
