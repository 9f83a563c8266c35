import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { renderPath } from "../values/preview.js";
import type { MatchResult, Mismatch } from "./matcher.js";
import { parseMatcher } from "./parse-matcher.js";

/**
 * Matches a value against a matcher: plain data, or an object with `$` operators; see the assertions guide.
 *
 * Objects may have further keys unless `$exact`; lists match element by element; `undefined` is absence, which null is
 * not. A failed match holds the first 20 differences with their paths into the value. Never throws: a matcher that is
 * not valid, and a regular expression that runs out of time, are mismatches that say so.
 */
export function matchValue(matcher: unknown, value: unknown): MatchResult {
  const parsed = parseMatcher(matcher);
  if (parsed.success) {
    const matched = attemptSync(
      () => parsed.data.match(value),
      (cause) => refused(messageOf(cause), value),
    );
    return matched.success ? matched.data : matched.error;
  }
  const [first] = parsed.error;
  const place = renderPath(first?.path ?? []);
  return refused(`a valid matcher: ${first?.message ?? "invalid"}${place === "" ? "" : ` at ${place}`}`, value);
}

function refused(expected: string, actual: unknown): MatchResult {
  const mismatch: Mismatch = { path: "", expected, actual };
  return { pass: false, mismatches: [mismatch] };
}
