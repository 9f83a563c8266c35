import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { defineAssertion } from "../define-assertion.js";
import { orderOption } from "../tool-expectations/call-order.js";
import {
  argsOption,
  resultOption,
  toolName,
  compareCall,
  describeExpected,
  expectedData,
  isExpectedCall,
  type ExpectedCall,
} from "../tool-expectations/expected-call.js";
import { readToolCalls, callData, describeCall } from "../tool-expectations/made-calls.js";
import { compareCallLists, isOrdered, listModes, type ListComparison, type ListMode } from "./compare-call-lists.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { plural } from "../../values/plural.js";
import { findNearestMiss } from "../tool-expectations/nearest-miss.js";

const options = strictObject({
  calls: z
    .array(strictObject({ tool: toolName.describe("Name of the tool."), args: argsOption, result: resultOption }))
    .describe("The calls that are expected. An empty list means: no call at all."),
  mode: z
    .enum(listModes)
    .default("strict")
    .describe(
      "strict: these calls in this order and no other (default). unordered: these calls and no other, in any order. " +
        "subset: every call made is one of these. superset: all of these were made. in_order: all of these were made, in this order.",
    ),
  by: orderOption,
}).superRefine(({ calls, mode, by }, context) => {
  if (by !== undefined && !isOrdered(mode)) {
    context.addIssue({
      code: "custom",
      path: ["by"],
      message: `"by" has no effect with mode ${mode}, which accepts any order\nRemove it, or use mode strict or in_order`,
    });
  }
  if (calls.length > 0 || (mode !== "superset" && mode !== "in_order")) return;
  context.addIssue({ code: "custom", path: ["calls"], message: `An empty list says nothing with mode ${mode}` });
});

export const toolCalls = defineAssertion<z.infer<typeof options>>({
  type: "tool_calls",
  summary: "The whole list of tool calls matches, by one of five modes.",
  example: "{ type: tool_calls, mode: unordered, calls: [{ tool: lookup_order, args: { order_id: ORD-1 } }] }",
  kind: "deterministic",
  options,
  references: ({ calls, mode }) =>
    calls.map(({ tool }, index) => ({
      kind: "tool",
      name: tool,
      needed: mode !== "subset",
      path: ["calls", index, "tool"],
    })),
  evaluate({ calls, mode, by }, trial) {
    const made = readToolCalls(trial, "tool_calls");
    if (!made.success) return made;
    return success(renderListOutcome(compareCallLists(calls, made.data, mode, by), calls, made.data, mode));
  },
});

const shown = 3;

const wantedByMode: Readonly<Record<ListMode, (calls: string) => string>> = {
  strict: (calls) => `exactly the ${calls} listed, in this order`,
  unordered: (calls) => `exactly the ${calls} listed, in any order`,
  subset: (calls) => `nothing but the ${calls} listed`,
  superset: (calls) => `at least the ${calls} listed`,
  in_order: (calls) => `the ${calls} listed, in this order`,
};

function renderListOutcome(
  comparison: ListComparison,
  expected: readonly ExpectedCall[],
  made: readonly TrialToolCall[],
  mode: ListMode,
): AssertionOutcome {
  const wanted = expected.length === 0 ? "no tool calls" : wantedByMode[mode](plural(expected.length, "tool call"));
  const { pass, score } = comparison;
  if (pass) return { pass, score, message: `The calls made are as expected: ${wanted}` };
  const inOrder = isOrdered(mode);
  const problems = [
    ...describeMissing(comparison, expected, made, inOrder),
    ...describeUnexpected(comparison, expected, made, inOrder),
  ];
  const happened = made.length === 0 ? "no tools were called" : problems.join("; ");
  return {
    pass,
    score,
    message: `Expected ${wanted}, but ${happened}`,
    expected: expected.map(expectedData),
    actual: made.map(callData),
  };
}

function describeMissing(
  { missing, unexpected }: ListComparison,
  expected: readonly ExpectedCall[],
  made: readonly TrialToolCall[],
  inOrder: boolean,
): string[] {
  // A call that is left over is what the agent did instead, so the nearest miss is looked for there first.
  const leftOver = unexpected.flatMap((index) => made[index] ?? []);
  const words = missing.slice(0, shown).flatMap((index) => {
    const wanted = expected[index];
    if (wanted === undefined) return [];
    const candidates = leftOver.some((call) => call.tool === wanted.tool) ? leftOver : made;
    return `${describeExpected(wanted)} is missing${describeNearest(wanted, candidates, inOrder)}`;
  });
  return missing.length > shown ? [...words, `${missing.length - shown} more are missing`] : words;
}

function describeNearest(wanted: ExpectedCall, candidates: readonly TrialToolCall[], inOrder: boolean): string {
  if (candidates.some((call) => isExpectedCall(wanted, call))) return inOrder ? " in its place" : " again";
  const miss = findNearestMiss(wanted.tool, candidates, (call) => compareCall(wanted, call));
  return miss.call === null ? "" : ` (${miss.words})`;
}

function describeUnexpected(
  { unexpected }: ListComparison,
  expected: readonly ExpectedCall[],
  made: readonly TrialToolCall[],
  inOrder: boolean,
): string[] {
  const words = unexpected.slice(0, shown).flatMap((index) => {
    const call = made[index];
    if (call === undefined) return [];
    const isListed = expected.some((wanted) => isExpectedCall(wanted, call));
    const what = isListed ? (inOrder ? "is out of place" : "is one too many") : "is not expected";
    return `${describeCall(call)} ${what}`;
  });
  return unexpected.length > shown ? [...words, `${unexpected.length - shown} more are not expected`] : words;
}
