/** A place where a value is not as the matcher wants it. */
export interface Mismatch {
  /** Such as `items[2].price`; empty for the value itself. */
  path: string;
  /** What was wanted, as text or value for people. */
  expected: unknown;
  /** What was found; undefined when it is absent. */
  actual: unknown;
}

export type MatchResult = { pass: true } | { pass: false; mismatches: readonly [Mismatch, ...Mismatch[]] };

/** A matcher after parsing. Made by `parseMatcher`; immutable, reusable, safe to share. */
export interface Matcher {
  /** The matcher as it was written, for messages. */
  readonly source: unknown;
  /** Throws only RegexTimeout and EvaluationTimeout; evaluation stands inside the assertion boundary. */
  match(value: unknown): MatchResult;
  /** What it wants on one line, such as `{order_id: matching /^ORD-/}`, cut to about `max` characters (default 120). */
  describe(max?: number): string;
}

/** Why a written matcher is not valid. */
export interface MatcherProblem {
  path: readonly (string | number)[];
  message: string;
  hint?: string;
  atKey?: boolean;
}
