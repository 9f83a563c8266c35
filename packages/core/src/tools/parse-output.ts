import { attemptSync } from "../errors/boundary.js";
import type { JsonValue } from "../values/json.js";

/** What a program or service answered: JSON where it is that, else the text without its last line feed; null for none. */
export function parseOutput(text: string): JsonValue {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const parsed = attemptSync<JsonValue, null>(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse gives is JSON
    () => JSON.parse(trimmed) as JsonValue,
    () => null,
  );
  return parsed.success ? parsed.data : text.replace(/\r?\n$/, "");
}
