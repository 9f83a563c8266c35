import { messageOf } from "../errors/message-of.js";
import { failure, success, type Result } from "../result.js";
import { toJsonText } from "../values/to-json.js";
import { textLimitOf } from "../values/parse-json.js";

/** The text that the model receives for a result. No code that inspects a result may run out of stack or memory. */
export function renderWithinLimits(value: unknown): Result<string, string> {
  if (typeof value === "string") {
    const limit = textLimitOf(value);
    return limit === null ? success(value) : failure(`its result is ${limit}`);
  }
  const text = toJsonText(value);
  if (text.success) return success(text.data ?? "null");
  return failure(`its result cannot be written as JSON: ${messageOf(text.error)}`);
}
