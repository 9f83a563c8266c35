import type { Result } from "../result.js";
import type { AssertionResult } from "./assertion-result.js";
import { scoreOfGroup } from "./decide-group.js";
import type { ParsedAssertion } from "./parsed-assertion.js";

/** The lowest and the highest score that may be meant. */
export type ScoreRange = readonly [low: number, high: number];

/**
 * Where the score of an assertion lies, as far as it is known. A group may be decided without a member that could not be
 * evaluated, and yet its score depends on that member.
 */
export function scoreRange(parsed: ParsedAssertion, result: Result<AssertionResult>): ScoreRange {
  if (!result.success) return [0, 1];
  const { score, parts } = result.data;
  if (parsed.form === "check" || parts === undefined || firstErrorIn(parts) === null) return [score, score];
  const members = parts.flatMap((part, index) => {
    const member = parsed.members[index];
    if (member === undefined || part.skipped) return [];
    const range = scoreRange(member, part.error === undefined ? { success: true, data: part } : failed(part.error));
    return [{ weight: part.weight, range }];
  });
  const required = Math.min(parsed.required, members.length);
  const [low, high] = [0, 1].map((end) =>
    scoreOfGroup(
      members.map(({ weight, range }) => ({ weight, score: range[end] ?? 0 })),
      required,
    ),
  );
  return parsed.not ? [1 - (high ?? 1), 1 - (low ?? 0)] : [low ?? 0, high ?? 1];
}

/** The error of the first member, however deep, that could not be evaluated. */
export function firstErrorIn(parts: readonly AssertionResult[]): NonNullable<AssertionResult["error"]> | null {
  for (const { error, parts: inner = [] } of parts) {
    const found = error ?? firstErrorIn(inner);
    if (found !== null) return found;
  }
  return null;
}

function failed(error: NonNullable<AssertionResult["error"]>): Result<AssertionResult> {
  return { success: false, error };
}
