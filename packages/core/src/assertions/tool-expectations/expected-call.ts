import * as z from "../../values/deferred-zod.js";
import type { Matcher, Mismatch } from "../../matchers/matcher.js";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import { argsOf } from "../../transcript/args-of.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { preview } from "../../values/preview.js";
import { describeError } from "./describe-error.js";

/** A tool call as an assertion wants it. */
export interface ExpectedCall {
  tool: string;
  args?: Matcher | undefined;
  /** What the tool returned; a failed call returned nothing. */
  result?: Matcher | undefined;
}

/** How a call of the right tool differs from the expected one. */
export interface CallDifference {
  /** Reads on after the name of the call, such as `differs at order_id: "ORD-7"`. */
  words: string;
  /** Smaller is nearer. */
  distance: number;
}

export const toolName = z.string().min(1);
export const argsOption = matcherSchema.optional().describe("The arguments must match this. Default: any.");
export const resultOption = matcherSchema.optional().describe("What the tool returned must match this. Default: any.");

const shown = 3;

/** Null when the call, which is of the right tool, is as expected. */
export function compareCall(expected: ExpectedCall, call: TrialToolCall): CallDifference | null {
  const args = expected.args?.match(argsOf(call)) ?? { pass: true };
  if (!args.pass) {
    // Wrong arguments weigh more than a wrong result, which depends on them.
    const distance = 1_000 + args.mismatches.length;
    if (call.args === undefined) return { words: "has arguments that are not JSON", distance };
    return { words: `differs ${places(args.mismatches)}`, distance };
  }
  const result = expected.result?.match(call.result) ?? { pass: true };
  if (result.pass) return null;
  const distance = result.mismatches.length;
  if (call.error !== undefined) {
    return { words: `failed with ${describeError(call.error)}`, distance };
  }
  return { words: `differs in its result ${places(result.mismatches)}`, distance };
}

/** True when it is a call of the tool with the arguments and the result that are wanted. */
export function isExpectedCall(expected: ExpectedCall, call: TrialToolCall): boolean {
  if (expected.tool !== call.tool) return false;
  if (expected.args !== undefined && !expected.args.match(argsOf(call)).pass) return false;
  return expected.result === undefined || expected.result.match(call.result).pass;
}

/** Such as `lookup_order({order_id: "ORD-1"})`; the bare name where any arguments will do. */
export function describeExpected({ tool, args, result }: ExpectedCall): string {
  const call = args === undefined ? tool : `${tool}(${args.describe()})`;
  return result === undefined ? call : `${call} returning ${result.describe(60)}`;
}

/** The expected call as data. */
export function expectedData({ tool, args, result }: ExpectedCall): Record<string, unknown> {
  return {
    tool,
    ...(args === undefined ? {} : { args: args.source }),
    ...(result === undefined ? {} : { result: result.source }),
  };
}

function places(mismatches: readonly Mismatch[]): string {
  const [first] = mismatches;
  if (first !== undefined && mismatches.length === 1 && first.path === "") return `as a whole: ${found(first)}`;
  const named = mismatches.slice(0, shown).map((mismatch) => `${mismatch.path || "the whole"}: ${found(mismatch)}`);
  const more = mismatches.length > shown ? ` and ${mismatches.length - shown} more` : "";
  return `at ${named.join(", ")}${more}`;
}

function found({ actual }: Mismatch): string {
  return actual === undefined ? "absent" : preview(actual, 60);
}
