import { failure, success, type Result } from "../result.js";
import type { JsonValue } from "../values/json.js";
import { isJsonLimit, parseJson } from "../values/parse-json.js";

/**
 * What a program or service answered: JSON where it is that, else the text without its last line feed; null for none.
 * Fails with what completes "a result that is …".
 */
export function parseOutput(text: string): Result<JsonValue, string> {
  const trimmed = text.trim();
  if (trimmed === "") return success(null);
  const parsed = parseJson(trimmed);
  if (parsed.success) return parsed;
  return isJsonLimit(parsed.error) ? failure(parsed.error) : success(text.replace(/\r?\n$/, ""));
}
