import { argsOf } from "../../transcript/args-of.js";
import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { Trial, TrialToolCall } from "../../transcript/trial.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion } from "../define-assertion.js";
import { inTurn, nextPlaces, orderCalls } from "../tool-expectations/call-order.js";
import { describeErrors, describeFailedCall, errorTypes, isWantedError } from "../tool-expectations/describe-error.js";
import { argsOption, describeExpected, expectedData, toolName } from "../tool-expectations/expected-call.js";
import { describeCall, placedCallData, readToolCalls } from "../tool-expectations/made-calls.js";
import { plural } from "../../values/plural.js";
import { describeNeverCalled } from "../tool-expectations/nearest-miss.js";
import { describePatterns, matchesTool, patternReferences, toolPatterns } from "../tool-expectations/tool-patterns.js";
import { describeGivingUp } from "../tool-expectations/describe-giving-up.js";

const options = strictObject({
  tool: toolName.describe("Name of the tool that fails."),
  args: argsOption.describe("Only calls of the tool whose arguments match this, failed or successful. Default: any."),
  error_type: errorTypes.optional().describe("Only errors of this type, or of one of these types. Default: any."),
  via: toolPatterns.optional().describe("A successful call of one of these tools (names or globs) counts as well."),
  within: z
    .int()
    .positive()
    .optional()
    .describe("The successful call is among this many next calls of any tool. Default: any later one."),
});

type Options = z.infer<typeof options>;

export const recoversFrom = defineAssertion<Options>({
  type: "recovers_from",
  summary: "The tool fails, and after each of its errors a call of it, or of one of `via`, succeeds in a later turn.",
  example: "{ type: recovers_from, tool: read_file, via: [search_files], within: 3 }",
  kind: "deterministic",
  options,
  references: ({ tool, via }) => [
    { kind: "tool", name: tool, needed: true, path: ["tool"] },
    ...patternReferences(via, "via"),
  ],
  evaluate(wanted, trial) {
    const calls = readToolCalls(trial, "recovers_from");
    return calls.success ? success(decide(wanted, calls.data, trial)) : calls;
  },
});

/** A call that failed, and what was called once that was known. */
interface FailedCall {
  call: TrialToolCall;
  after(): readonly TrialToolCall[];
  /** The call that made up for it. */
  recovery: TrialToolCall | undefined;
  /** How many calls it took: the calls before the recovery, and the recovery. */
  distance: number;
}

function decide(wanted: Options, calls: readonly TrialToolCall[], trial: Trial): AssertionOutcome {
  const order = orderCalls(calls);
  const recoveries = nextPlaces(order.calls, (call) => isRecovery(wanted, call));
  const failed = calls.flatMap((call, index): readonly FailedCall[] => {
    const isMeant = isSubject(wanted, call) && call.error !== undefined && isWantedError(wanted.error_type, call.error);
    if (!isMeant) return [];
    const start = order.startAfter(index);
    const place = recoveries[start] ?? order.calls.length;
    const recovery = order.calls[place];
    // Other calls of its turn are not before it, wherever they are in the list.
    const distance = recovery === undefined ? Infinity : order.startOfStep(place) - start + 1;
    return [{ call, after: () => order.calls.slice(start), recovery, distance }];
  });
  const isOvercome = ({ recovery, distance }: FailedCall): boolean =>
    recovery !== undefined && distance <= (wanted.within ?? Infinity);
  const lost = failed.filter((one) => !isOvercome(one));
  const [worst] = lost;
  const expected = expectedOf(wanted);
  if (worst !== undefined) {
    const more = lost.length > 1 ? ` (and ${plural(lost.length - 1, "other error")} alike)` : "";
    return {
      pass: false,
      score: 1 - lost.length / failed.length,
      message: `Expected ${describeRecovery(wanted)} after ${describeFailedCall(worst.call)}, but ${describeMiss(wanted, worst, trial)}${more}`,
      expected,
      actual: { failed: placedCallData(worst.call), after: worst.after().map(placedCallData) },
    };
  }
  const [first] = failed;
  if (first !== undefined) return { pass: true, score: 1, message: describeSuccess(first, failed.length - 1) };
  const what = `${describeErrors(wanted.error_type)} of ${describeExpected(wanted)}`;
  return {
    pass: false,
    score: 0,
    message: `Expected recovery from ${what}, but ${describeNoError(wanted, calls)}`,
    expected,
    actual: calls.map(placedCallData),
  };
}

function isSubject({ tool, args }: Options, call: TrialToolCall): boolean {
  return call.tool === tool && (args === undefined || args.match(argsOf(call)).pass);
}

function isRecovery(wanted: Options, call: TrialToolCall): boolean {
  return call.error === undefined && isCandidate(wanted, call);
}

function isCandidate(wanted: Options, call: TrialToolCall): boolean {
  return isSubject(wanted, call) || (wanted.via !== undefined && matchesTool(wanted.via, call.tool));
}

function describeRecovery(wanted: Options): string {
  const other = wanted.via === undefined ? "" : ` or ${describePatterns(wanted.via)}`;
  const within = wanted.within === undefined ? "" : ` within ${plural(wanted.within, "call")}`;
  return `a successful call of ${describeExpected(wanted)}${other}${within}`;
}

function describeSuccess({ call, recovery }: FailedCall, others: number): string {
  const how = recovery === undefined ? "" : `${describeCall(recovery)} succeeded${inTurn(recovery)} after `;
  return `The agent recovered: ${how}${describeFailedCall(call)}${others > 0 ? ` (and ${others} more)` : ""}`;
}

function describeMiss(wanted: Options, { after: afterIt, recovery, distance }: FailedCall, trial: Trial): string {
  if (recovery !== undefined) {
    return `${describeCall(recovery)} succeeded${inTurn(recovery)} only, ${plural(distance, "call")} after it`;
  }
  const after = afterIt();
  const candidates = after.filter((call) => isCandidate(wanted, call));
  const last = candidates.at(-1);
  if (last === undefined) return describeGivingUp(after, trial);
  const which = candidates.length === 1 ? "the only later call" : `the last of ${candidates.length} later calls`;
  return `${describeFailedCall(last)}, ${which}`;
}

function describeNoError(wanted: Options, calls: readonly TrialToolCall[]): string {
  const { tool } = wanted;
  if (!calls.some((call) => call.tool === tool)) return describeNeverCalled(tool, calls);
  const meant = calls.filter((call) => isSubject(wanted, call));
  if (meant.length === 0) return "it was never called with such arguments";
  const other = meant.find((call) => call.error !== undefined);
  if (other !== undefined) return `it failed otherwise: ${describeFailedCall(other)}`;
  const none = meant.length === 1 ? "its only call did not fail" : `none of its ${meant.length} calls failed`;
  return `${none}, so there was nothing to recover from`;
}

function expectedOf(wanted: Options): Record<string, unknown> {
  const { error_type: errorType, via, within } = wanted;
  const conditions = Object.entries({ errorType, via, within }).filter(([, value]) => value !== undefined);
  return { recovery: expectedData(wanted), ...Object.fromEntries(conditions) };
}
