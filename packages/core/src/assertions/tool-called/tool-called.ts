import type { TrialToolCall } from "../../transcript/trial.js";
import { stepsOf } from "../tool-expectations/call-order.js";
import {
  argsOption,
  compareCall,
  describeExpected,
  expectedData,
  resultOption,
  toolName,
  type CallDifference,
} from "../tool-expectations/expected-call.js";
import {
  boundsOf,
  checkCounts,
  countOptions,
  describeBounds,
  type CountBounds,
} from "../tool-expectations/call-counts.js";
import type * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion, type AssertionReference } from "../define-assertion.js";
import { callData, readToolCalls } from "../tool-expectations/made-calls.js";
import { plural } from "../../values/plural.js";
import { findNearestMiss } from "../tool-expectations/nearest-miss.js";
import { looksLikeTool } from "../tool-expectations/tool-patterns.js";

const options = strictObject({
  tool: toolName.describe("Name of the tool."),
  args: argsOption,
  result: resultOption,
  ...countOptions,
  before: toolName.optional().describe("Only calls in an earlier turn than some call of this other tool count."),
  after: toolName.optional().describe("Only calls in a later turn than some call of this other tool count."),
}).superRefine(checkCounts);

type Options = z.infer<typeof options>;

export const toolCalled = defineAssertion<Options>({
  type: "tool_called",
  summary: "A call of the tool has matching arguments, and what is said about its result, number and order holds.",
  example: "{ type: tool_called, tool: lookup_order, args: { order_id: ORD-1 } }",
  kind: "deterministic",
  options,
  references({ tool, before, after, ...counts }) {
    const needed = boundsOf(counts).min > 0;
    const references: AssertionReference[] = [{ kind: "tool", name: tool, needed, path: ["tool"] }];
    if (before !== undefined) references.push({ kind: "tool", name: before, needed, path: ["before"] });
    if (after !== undefined) references.push({ kind: "tool", name: after, needed, path: ["after"] });
    return references;
  },
  evaluate(wanted, trial, { isNegated = false }) {
    const calls = readToolCalls(trial, "tool_called");
    return calls.success ? success(decide(wanted, calls.data, isNegated)) : calls;
  },
});

function decide(wanted: Options, calls: readonly TrialToolCall[], isNegated: boolean): AssertionOutcome {
  const bounds = boundsOf(wanted);
  const compareOrder = createOrderComparison(calls, wanted);
  const compare = (call: TrialToolCall) => compareCall(wanted, call) ?? compareOrder(call);
  const matching = calls.filter((call) => call.tool === wanted.tool && compare(call) === null);
  // What forbids the tool is not passed by a name that only looks the same; what demands it is.
  const similar = calls.filter(
    (call) => call.tool !== wanted.tool && looksLikeTool(wanted.tool, call.tool) && compare(call) === null,
  );
  const [fewest, most] = isNegated ? [similar, []] : [[], similar];
  if (matching.length + fewest.length >= bounds.min && matching.length + most.length <= bounds.max) {
    const times = matching.length === 1 ? "" : ` ${plural(matching.length, "time")}`;
    const verb = matching.length === 0 ? "was not called" : `was called${times}`;
    return { pass: true, score: 1, message: `${subject(wanted)} ${verb}`.replace(/^tool "/, 'Tool "') };
  }
  const expected = { ...expectedData(wanted), ...boundData(wanted) };
  const made = [...matching, ...most];
  if (made.length > bounds.max || matching.length > 0) {
    const wish = bounds.max === 0 ? "not to be called" : `to be called ${describeBounds(bounds)}`;
    const message = `Expected ${subject(wanted)} ${wish}, but it was called ${plural(made.length, "time")}`;
    return { pass: false, score: 0, message, expected, actual: made.map(callData) };
  }
  const miss = findNearestMiss(wanted.tool, calls, compare);
  const isPlain = wanted.args === undefined && wanted.result === undefined;
  const often = bounds.min > 1 ? ` ${describeBounds(bounds)}` : "";
  const what =
    miss.call === null || isPlain
      ? `${subject(wanted)} to be called${often}${order(wanted)}`
      : `${describeExpected(wanted)}${often}${order(wanted)}`;
  return {
    pass: false,
    score: 0,
    message: `Expected ${what}, but ${miss.words}`,
    expected,
    actual: miss.call === null ? calls.map(({ tool }) => tool) : callData(miss.call),
  };
}

/** `tool "x"` where nothing is said of its arguments, else the call. */
function subject(wanted: Options): string {
  const { args, result } = wanted;
  return args === undefined && result === undefined ? `tool "${wanted.tool}"` : describeExpected(wanted);
}

function order({ before, after }: Options): string {
  const parts = [before === undefined ? "" : ` before "${before}"`, after === undefined ? "" : ` after "${after}"`];
  return parts.join("");
}

function boundData({ times, min, max, before, after }: Options & CountBounds): Record<string, unknown> {
  const data = { times, min, max, before, after };
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}

interface WantedOrder {
  before?: string | undefined;
  after?: string | undefined;
}

/** Compares calls with the order that is wanted: null if the call is before (after) some call of the other tool. */
function createOrderComparison(
  calls: readonly TrialToolCall[],
  { before, after }: WantedOrder,
): (call: TrialToolCall) => CallDifference | null {
  if (before === undefined && after === undefined) return () => null;
  const steps = stepsOf(calls);
  const stepOf = new Map(calls.map((call, index) => [call, steps[index] ?? 0]));
  const stepsOfTool = (tool: string | undefined): readonly number[] =>
    steps.filter((_, index) => calls[index]?.tool === tool);
  const lastOfNext = stepsOfTool(before).reduce((most, step) => Math.max(most, step), Number.NEGATIVE_INFINITY);
  const firstOfPrevious = stepsOfTool(after).reduce((least, step) => Math.min(least, step), Number.POSITIVE_INFINITY);
  return (call) => {
    const step = stepOf.get(call) ?? 0;
    if (before !== undefined && lastOfNext <= step) return { words: lacking(before, "before", calls), distance: 0 };
    if (after !== undefined && firstOfPrevious >= step) return { words: lacking(after, "after", calls), distance: 0 };
    return null;
  };
}

function lacking(tool: string, word: string, calls: readonly TrialToolCall[]): string {
  return calls.some((call) => call.tool === tool)
    ? `is not in a turn ${word} a call of "${tool}"`
    : `has no call of "${tool}" to come ${word}: that was never called`;
}
