import { matchValue } from "@kindlm/core";
import { argsOf } from "@kindlm/core/program";
import { describeMismatch } from "./call-differences.js";
import type { FailureWords, Wording } from "./failure-words.js";

/** A call as results hold it, expected or made. */
export interface Call {
  tool: string;
  args?: unknown;
  result?: unknown;
  exactIntegers?: Readonly<Record<string, string>>;
  error?: unknown;
  before?: unknown;
  after?: unknown;
}

/** The first place where a value is not as its matcher wants it. `noun` names the place. */
export function wrongValue(
  matcher: unknown,
  value: unknown,
  wording: Wording,
): { noun: string; isAbsent: boolean; words: Required<Pick<FailureWords, "path" | "sort" | "columns" | "reason">> } {
  const matched = matchValue(matcher, value);
  const first = matched.pass ? { path: "", expected: matcher, actual: value } : matched.mismatches[0];
  const { path, expected, actual } = describeMismatch(first, matcher, wording.mask);
  const noun = path === "" ? "value" : wording.mask(path);
  const isAbsent = first.actual === undefined;
  return {
    noun,
    isAbsent,
    words: {
      path,
      sort: `${typeName(first.actual)} for ${typeName(first.expected)}`,
      columns: { [noun]: isAbsent ? "–" : actual, expected },
      reason: isAbsent ? `${noun} missing, expected ${expected}` : `${noun} ${actual}, expected ${expected}`,
    },
  };
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return "number";
  return Array.isArray(value) ? "list" : typeof value;
}

/** The call that came nearest to the expected one: its arguments differ, else its result, else its place. */
export function describeNearCall(expected: Call, actual: Call, wording: Wording): FailureWords {
  const tool = nameOf(expected, wording);
  const ofArgs = argumentMiss(expected, actual, wording);
  if (ofArgs !== null) return ofArgs;
  if (expected.result !== undefined && !matchValue(expected.result, actual.result).pass) {
    if (actual.error !== undefined) {
      return { title: `${tool} fails`, tool, sort: "error", reason: `${tool} failed` };
    }
    const wrong = wrongValue(expected.result, actual.result, wording);
    return { title: `${tool} returns the wrong ${wrong.noun}`, tool, ...wrong.words, path: `result ${wrong.noun}` };
  }
  const place =
    typeof expected.before === "string"
      ? `before ${wording.mask(expected.before)}`
      : `after ${wording.text(expected.after ?? "")}`;
  return { title: `${tool} is not called ${place}`, tool, sort: "order", reason: `${tool} not called ${place}` };
}

/** Which argument of a call differs from the expected ones first; null if they match. */
export function argumentMiss(expected: Call, actual: Call, wording: Wording): FailureWords | null {
  if (expected.args === undefined) return null;
  if (matchValue(expected.args, argsOf(actual)).pass) return null;
  const tool = nameOf(expected, wording);
  const wrong = wrongValue(expected.args, argsOf(actual), wording);
  const title = wrong.isAbsent
    ? `${tool} is called without ${wrong.noun}`
    : `${tool} is called with the wrong ${wrong.noun === "value" ? "arguments" : wrong.noun}`;
  return { title, tool, ...wrong.words };
}

export function nameOf({ tool }: Call, { mask }: Wording): string {
  return mask(tool);
}
