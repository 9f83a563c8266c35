import type { JsonObject } from "../values/json.js";
import { longestText, textForPattern } from "./text-for-pattern.js";

/** A valid text for each format that is checked. */
const samples: Readonly<Record<string, string>> = {
  date: "2026-01-01",
  time: "00:00:00Z",
  "date-time": "2026-01-01T00:00:00Z",
  "iso-time": "00:00:00Z",
  "iso-date-time": "2026-01-01T00:00:00Z",
  duration: "P1D",
  email: "a@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com",
  url: "https://example.com",
  "uri-reference": "a",
  "uri-template": "https://example.com/{a}",
  uuid: "00000000-0000-4000-8000-000000000000",
  regex: "a",
  "json-pointer": "/a",
  "relative-json-pointer": "0",
  byte: "YQ==",
};

/**
 * A short string for a schema of strings: by its format or its pattern, else one character, or as many as it must have.
 * Undefined if it would have to be longer than any argument. `salt` makes the entries of a list differ; `attempt` repeats more of what a pattern lets repeat.
 */
export function minimalText(
  schema: JsonObject,
  { attempt, salt }: { attempt: number; salt: number },
): string | undefined {
  const { format, pattern, minLength, maxLength } = schema;
  const least = typeof minLength === "number" ? minLength : 1;
  if (least > longestText) return undefined;
  const sample = typeof format === "string" ? samples[format] : undefined;
  if (sample !== undefined) return sample.padEnd(least, "a");
  const made = typeof pattern === "string" ? textForPattern(pattern, attempt + salt) : null;
  if (made !== null) return made.padEnd(least, made.at(-1) ?? "a");
  const text = salt === 0 ? "a" : `a${salt}`;
  return text.padEnd(least, "a").slice(0, typeof maxLength === "number" ? maxLength : undefined);
}
