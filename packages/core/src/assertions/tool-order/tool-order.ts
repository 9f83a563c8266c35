import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion } from "../define-assertion.js";
import { groupBySteps, orderOption } from "../tool-expectations/call-order.js";
import {
  argsOption,
  compareCall,
  describeExpected,
  expectedData,
  isExpectedCall,
  toolName,
  type ExpectedCall,
} from "../tool-expectations/expected-call.js";
import { callData, describeSteps, readToolCalls } from "../tool-expectations/made-calls.js";
import { findNearestMiss } from "../tool-expectations/nearest-miss.js";

const entry = z.union([
  toolName.transform((tool): ExpectedCall => ({ tool })),
  strictObject({ tool: toolName.describe("Name of the tool."), args: argsOption }),
]);

export const toolOrder = defineAssertion({
  type: "tool_order",
  summary:
    "The tools are called in this order, each in a later turn than the one before it; other calls may lie between unless `strict`.",
  example: "{ type: tool_order, tools: [lookup_order, { tool: cancel_order, args: { order_id: ORD-1 } }] }",
  kind: "deterministic",
  options: strictObject({
    tools: z.array(entry).min(1).describe("Names of tools, or objects with tool and args."),
    strict: z.boolean().optional().describe("Whether no other call may lie between the first and the last."),
    by: orderOption,
  }),
  references: ({ tools }) =>
    tools.map(({ tool }, index) => ({ kind: "tool", name: tool, needed: true, path: ["tools", index] })),
  evaluate({ tools, strict = false, by }, trial) {
    const read = readToolCalls(trial, "tool_order");
    if (!read.success) return read;
    const calls = read.data;
    const steps = groupBySteps(calls, by).map((group) => group.flatMap((index) => calls[index] ?? []));
    return success(strict ? decideStrict(tools, calls, steps) : decideOrder(tools, calls, steps));
  },
});

/** The calls of each step: those of one turn, or a single one if positions decide. */
type Steps = readonly (readonly TrialToolCall[])[];

function decideOrder(
  expected: readonly ExpectedCall[],
  calls: readonly TrialToolCall[],
  steps: Steps,
): AssertionOutcome {
  const partners = longestInOrder(expected, steps, isMetBy);
  const matched = partners.filter((partner) => partner !== null).length;
  if (matched === expected.length) return passed(expected);
  return failed(expected, steps, matched, explainGap(partners, expected, calls, steps));
}

function isMetBy(wanted: ExpectedCall, step: readonly TrialToolCall[]): boolean {
  return step.some((call) => isExpectedCall(wanted, call));
}

/** Why the longest order leaves this one out: it never happened, or only at the wrong place. */
function explainGap(
  partners: readonly (number | null)[],
  expected: readonly ExpectedCall[],
  calls: readonly TrialToolCall[],
  steps: Steps,
): string {
  const gap = partners.indexOf(null);
  const missing = expected[gap];
  if (missing === undefined) return "it differs";
  if (!calls.some((call) => isExpectedCall(missing, call))) {
    const miss = findNearestMiss(missing.tool, calls, (call) => compareCall(missing, call));
    if (calls.length === 0) return miss.words;
    return miss.call === null ? `${missing.tool} was never called` : `of ${missing.tool} ${miss.words}`;
  }
  const previous = expected[gap - 1];
  const nextGap = expected.findIndex((_, index) => index > gap && partners[index] !== null);
  const next = expected[nextGap];
  const isParallelTo = (index: number): boolean => isMetBy(missing, steps[partners[index] ?? -1] ?? []);
  const parallel = isParallelTo(gap - 1) ? previous : isParallelTo(nextGap) ? next : undefined;
  if (parallel !== undefined && parallel.tool !== missing.tool) {
    return `${describeExpected(missing)} was called in the same turn as ${describeExpected(parallel)}, so neither is first`;
  }
  const places = [
    ...(previous === undefined ? [] : [`after ${describeExpected(previous)}`]),
    ...(next === undefined ? [] : [`before ${describeExpected(next)}`]),
  ];
  return `${describeExpected(missing)} was not called ${places.join(" and ")}`;
}

/**
 * Each entry is met by the step after that of the entry before it. The steps of the first and the last may hold further
 * calls, which are neither after the first nor before the last; any further call in between lies between them.
 */
function decideStrict(
  expected: readonly ExpectedCall[],
  calls: readonly TrialToolCall[],
  steps: Steps,
): AssertionOutcome {
  let best = 0;
  const last = expected.length - 1;
  for (let start = 0; start < Math.max(1, steps.length - last); start += 1) {
    const matched = expected.filter((wanted, offset) => {
      const step = steps[start + offset] ?? [];
      return isMetBy(wanted, step) && (offset === 0 || offset === last || step.length === 1);
    }).length;
    if (matched === expected.length) return passed(expected);
    best = Math.max(best, matched);
  }
  const loose = decideOrder(expected, calls, steps);
  if (!loose.pass) return { ...loose, score: best / expected.length };
  return failed(expected, steps, best, "other calls lie between");
}

function passed(expected: readonly ExpectedCall[]): AssertionOutcome {
  return { pass: true, score: 1, message: `The tools were called in the order ${describeOrder(expected)}` };
}

function failed(expected: readonly ExpectedCall[], steps: Steps, matched: number, why: string): AssertionOutcome {
  const sequence = steps.length === 0 ? "" : ` (called: ${describeSteps(steps)})`;
  return {
    pass: false,
    score: matched / expected.length,
    message: `Expected the order ${describeOrder(expected)}, but ${why}${sequence}`,
    expected: expected.map(expectedData),
    actual: steps.flat().map(callData),
  };
}

function describeOrder(expected: readonly ExpectedCall[]): string {
  return expected.map(describeExpected).join(" → ");
}

/**
 * The most expected entries that can be found in order among those made, as pairs of indexes with gaps allowed on both
 * sides: a longest common subsequence, by dynamic programming in O(expected × made).
 */
export function longestInOrder<Expected, Made>(
  expected: readonly Expected[],
  made: readonly Made[],
  fits: (expected: Expected, made: Made) => boolean,
): readonly (number | null)[] {
  const width = made.length + 1;
  const fitting = expected.map((wanted) => made.map((candidate) => fits(wanted, candidate)));
  const longest = new Uint32Array((expected.length + 1) * width);
  const at = (left: number, right: number): number => longest[left * width + right] ?? 0;
  for (let left = expected.length - 1; left >= 0; left -= 1) {
    for (let right = made.length - 1; right >= 0; right -= 1) {
      const skipped = Math.max(at(left + 1, right), at(left, right + 1));
      longest[left * width + right] = fitting[left]?.[right] ? Math.max(skipped, 1 + at(left + 1, right + 1)) : skipped;
    }
  }
  const partners: (number | null)[] = expected.map(() => null);
  for (let left = 0, right = 0; left < expected.length && right < made.length;) {
    if (fitting[left]?.[right] && at(left, right) === 1 + at(left + 1, right + 1)) {
      partners[left] = right;
      left += 1;
      right += 1;
    } else if (at(left + 1, right) >= at(left, right + 1)) left += 1;
    else right += 1;
  }
  return partners;
}
