import { isDeepStrictEqual } from "node:util";
import { type AssertionResult, matchValue, type Mismatch, type TrialToolCall } from "@kindlm/core";
import { argsOf, isRecord, preview, redactValue } from "@kindlm/core/program";
import { fitDifference } from "../terminal/fit-difference.js";
import { fitWidth } from "../terminal/text-width.js";

/** In columns. */
const longestValue = 60;
/** A difference that far behind is not looked for. */
const longestCompared = 100_000;

/** An argument of a call that an assertion rejected. */
export interface CallDifference {
  /** Such as `items[0].price`. */
  path: string;
  /** As text, as is what was found instead. */
  expected: string;
  actual: string;
}

/** What the matchers of failing assertions rejected in the arguments of the call, and nothing else. */
export function differencesOf(
  call: TrialToolCall,
  failing: readonly AssertionResult[],
  mask: (text: string) => string,
): CallDifference[] {
  const found = new Map<string, CallDifference>();
  for (const wanted of failing.flatMap((assertion) => expectedOf(assertion, call))) {
    const matched = matchValue(wanted, argsOf(call));
    if (matched.pass) continue;
    for (const mismatch of matched.mismatches) found.set(mismatch.path, describeMismatch(mismatch, wanted, mask));
  }
  return [...found.values()];
}

/** An argument in a list. Of one that was rejected in parts, each of these is listed in its place. */
export interface ListedArgument {
  name: string;
  value: string;
  /** Absent if no assertion rejected it. */
  expected?: string;
}

/** The arguments of a call in their order, then those that an assertion missed. Longer values are cut. */
export function listArguments(
  args: Readonly<Record<string, unknown>>,
  differing: readonly CallDifference[],
  mostCharacters: number,
): ListedArgument[] {
  const listed: ListedArgument[] = [];
  const left = new Set(differing);
  for (const [name, value] of Object.entries(args)) {
    const rejected = differing.filter(({ path }) => isWithin(path, name));
    if (!rejected.some(({ path }) => path === name)) listed.push({ name, value: preview(value, mostCharacters) });
    for (const one of rejected) {
      listed.push(asRejected(one));
      left.delete(one);
    }
  }
  return [...listed, ...[...left].map(asRejected)];
}

function asRejected({ path, actual, expected }: CallDifference): ListedArgument {
  return { name: path, value: actual, expected };
}

/** Whether a path such as `items[0].price` begins with this name. */
function isWithin(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);
}

/** A mismatch of a matcher in words. What the matcher wants is quoted if it is a value, and not if it is a description. */
export function describeMismatch(
  { path, expected, actual }: Mismatch,
  matcher: unknown,
  mask: (text: string) => string,
): CallDifference {
  const isWords = typeof expected === "string" && !holdsText(matcher, expected);
  const found = previewOf(actual, mask);
  if (isWords) return { path, expected: mask(expected), actual: fitWidth(found, longestValue) };
  const [shown, wanted] = fitDifference(found, previewOf(expected, mask), longestValue);
  return { path, expected: wanted, actual: shown };
}

function previewOf(value: unknown, mask: (text: string) => string): string {
  // A large integer with all its digits is not a string.
  return preview(typeof value === "bigint" ? value : redactValue(value, mask), longestCompared);
}

/** Whether a string is in the matcher as written; else it is the matcher in words. */
function holdsText(source: unknown, text: string): boolean {
  if (typeof source !== "object" || source === null) return source === text;
  return Object.values(source).some((item) => holdsText(item, text));
}

/** The arguments that an assertion expected where it found this call instead. */
function expectedOf(assertion: AssertionResult, call: TrialToolCall): Record<string, unknown>[] {
  const inParts = failingParts(assertion).flatMap((part) => expectedOf(part, call));
  const { expected, actual, type } = assertion;
  // Forbidden calls are not a measure for the actual ones.
  if (type === "tool_not_called" || type.startsWith("not ")) return inParts;
  // An assertion that names its nearest miss is about that call and no other.
  if (isRecord(actual) && "args" in actual && !isDeepStrictEqual(actual["args"], call.args)) return inParts;
  const wanted: unknown[] = Array.isArray(expected) ? expected : [expected];
  const ofThisTool = wanted.flatMap((one) =>
    isRecord(one) && one["tool"] === call.tool && isRecord(one["args"]) ? [one["args"]] : [],
  );
  // Several expectations of one tool cannot be distinguished here; the message does that.
  return ofThisTool.length === 1 ? [...ofThisTool, ...inParts] : inParts;
}

function failingParts(assertion: AssertionResult): readonly AssertionResult[] {
  return (assertion.parts ?? []).filter((part) => !part.pass);
}
