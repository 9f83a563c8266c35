import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion } from "../define-assertion.js";
import {
  argsOption,
  compareCall,
  describeExpected,
  expectedData,
  isExpectedCall,
  toolName,
  type ExpectedCall,
} from "../tool-expectations/expected-call.js";
import { longestInOrder } from "../tool-expectations/longest-in-order.js";
import { callData, describeSequence, readToolCalls } from "../tool-expectations/made-calls.js";
import { findNearestMiss } from "../tool-expectations/nearest-miss.js";

const entry = z.union([
  toolName.transform((tool): ExpectedCall => ({ tool })),
  strictObject({ tool: toolName.describe("Name of the tool."), args: argsOption }),
]);

export const toolOrder = defineAssertion({
  type: "tool_order",
  summary: "The tools are called in this order; other calls may lie between unless `strict`.",
  example: "{ type: tool_order, tools: [lookup_order, { tool: cancel_order, args: { order_id: ORD-1 } }] }",
  kind: "deterministic",
  options: strictObject({
    tools: z.array(entry).min(1).describe("Names of tools, or mappings with tool and args."),
    strict: z.boolean().optional().describe("True to allow no other call between the first and the last."),
  }),
  references: ({ tools }) =>
    tools.map(({ tool }, index) => ({ kind: "tool", name: tool, needed: true, path: ["tools", index] })),
  evaluate({ tools, strict = false }, trial) {
    const calls = readToolCalls(trial, "tool_order");
    if (!calls.success) return calls;
    return success(strict ? decideStrict(tools, calls.data) : decideOrder(tools, calls.data));
  },
});

function decideOrder(expected: readonly ExpectedCall[], calls: readonly TrialToolCall[]): AssertionOutcome {
  const partners = longestInOrder(expected, calls, isExpectedCall);
  const matched = partners.filter((partner) => partner !== null).length;
  if (matched === expected.length) return passed(expected);
  return failed(expected, calls, matched, explainGap(partners, expected, calls));
}

/** Why the longest order leaves this one out: it never happened, or only at the wrong place. */
function explainGap(
  partners: readonly (number | null)[],
  expected: readonly ExpectedCall[],
  calls: readonly TrialToolCall[],
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
  const next = expected.find((_, index) => index > gap && partners[index] !== null);
  const places = [
    ...(previous === undefined ? [] : [`after ${describeExpected(previous)}`]),
    ...(next === undefined ? [] : [`before ${describeExpected(next)}`]),
  ];
  return `${describeExpected(missing)} was not called ${places.join(" and ")}`;
}

function decideStrict(expected: readonly ExpectedCall[], calls: readonly TrialToolCall[]): AssertionOutcome {
  let best = 0;
  for (let start = 0; start < Math.max(1, calls.length - expected.length + 1); start += 1) {
    const matched = expected.filter((wanted, offset) => {
      const call = calls[start + offset];
      return call !== undefined && isExpectedCall(wanted, call);
    }).length;
    if (matched === expected.length) return passed(expected);
    best = Math.max(best, matched);
  }
  const loose = decideOrder(expected, calls);
  if (!loose.pass) return { ...loose, score: best / expected.length };
  return failed(expected, calls, best, "other calls lie between");
}

function passed(expected: readonly ExpectedCall[]): AssertionOutcome {
  return { pass: true, score: 1, message: `The tools were called in the order ${describeOrder(expected)}` };
}

function failed(
  expected: readonly ExpectedCall[],
  calls: readonly TrialToolCall[],
  matched: number,
  why: string,
): AssertionOutcome {
  const sequence = calls.length === 0 ? "" : ` (called: ${describeSequence(calls)})`;
  return {
    pass: false,
    score: matched / expected.length,
    message: `Expected the order ${describeOrder(expected)}, but ${why}${sequence}`,
    expected: expected.map(expectedData),
    actual: calls.map(callData),
  };
}

function describeOrder(expected: readonly ExpectedCall[]): string {
  return expected.map(describeExpected).join(" → ");
}
