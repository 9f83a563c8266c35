import { success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import { bodyRoom, jsonLimitOf, parseJson } from "../../values/parse-json.js";
import { writeJson } from "../../values/write-json.js";

/** What the arguments of a tool call are called where an API sends them as data. */
const argumentKeys: ReadonlySet<string> = new Set(["input", "args", "arguments"]);

/**
 * Parses what a provider sent. Arguments that nest too deep become their text, as if the API sent text: they are the
 * model's mistake, not its provider's. Anything else that nests too deep makes the reply unusable.
 */
export function parseReply(text: string): Result<unknown, string> {
  const parsed = parseJson(text, bodyRoom);
  if (parsed.success) return parsed;
  const whole = parseJson(text, { around: Number.POSITIVE_INFINITY, chars: bodyRoom.chars });
  if (!whole.success) return parsed;
  const flat = withTextArguments(whole.data, bodyRoom.around);
  return jsonLimitOf(flat, bodyRoom.around) === null ? success(flat) : parsed;
}

function withTextArguments(value: unknown, levels: number): unknown {
  if (levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withTextArguments(item, levels - 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      argumentKeys.has(key) && jsonLimitOf(item) !== null
        ? [key, writeJson(item)]
        : [key, withTextArguments(item, levels - 1)],
    ),
  );
}
