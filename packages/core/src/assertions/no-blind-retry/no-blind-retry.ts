import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { toolErrorTypes, type ToolFailure } from "../../transcript/tool-failure.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { defineAssertion } from "../define-assertion.js";
import { inTurn } from "../tool-expectations/call-order.js";
import { describeError, describeFailedCall } from "../tool-expectations/describe-error.js";
import { createChangeFinder, findRepeats, type Repeat } from "../tool-expectations/find-repeats.js";
import { describeCall, placedCallData, readToolCalls } from "../tool-expectations/made-calls.js";
import { describePatterns, matchesTool, patternReferences, toolPatterns } from "../tool-expectations/tool-patterns.js";

const options = strictObject({
  tool: toolPatterns.optional().describe("Only calls of this tool: a name, a glob such as pay_*, or a list of either."),
  errors: z
    .union([z.literal("any"), z.array(z.enum(toolErrorTypes)).min(1)])
    .optional()
    .describe("After these errors too the same call must not be made again: any, or a list of types."),
  unless_after: toolPatterns
    .optional()
    .describe(
      "Tools (names or globs) that can clear the error: after a successful call of one, the same call may be made.",
    ),
});

type Options = z.infer<typeof options>;

export const noBlindRetry = defineAssertion<Options>({
  type: "no_blind_retry",
  summary: "No call is made again with the same arguments after an error that said `retryable: false`.",
  example: "{ type: no_blind_retry, tool: charge_card }",
  kind: "deterministic",
  options,
  references: ({ tool, unless_after: changers }) => [
    ...patternReferences(tool, "tool"),
    ...patternReferences(changers, "unless_after"),
  ],
  evaluate(wanted, trial) {
    const read = readToolCalls(trial, "no_blind_retry");
    if (!read.success) return read;
    const calls = read.data;
    const hasChangeBetween = createChangeFinder(calls, wanted.unless_after);
    const repeats = findRepeats(
      calls,
      (pair) => isFinal(pair.first, wanted) && pair.firstStep < pair.againStep && !hasChangeBetween(pair),
    );
    const [first] = repeats;
    if (first === undefined) {
      const message = describeRestraint(
        calls.filter((call) => isFinal(call, wanted)),
        wanted,
      );
      return success({ pass: true, score: 1, message });
    }
    const more = repeats.length > 1 ? ` (and ${repeats.length - 1} more)` : "";
    return success({
      pass: false,
      score: 0,
      message: `Expected no blind retry, but ${describeRetry(first)}${more}`,
      expected: { ...wanted },
      actual: repeats.map((repeat) => ({ failed: placedCallData(repeat.first), again: placedCallData(repeat.again) })),
    });
  },
});

/** True when the call failed in a way after which it must not be made again as it was. */
function isFinal({ tool, error }: TrialToolCall, { tool: wanted, errors }: Options): boolean {
  if (error === undefined || (wanted !== undefined && !matchesTool(wanted, tool))) return false;
  return !error.retryable || errors === "any" || errors?.includes(error.errorType) === true;
}

function describeRetry({ first, again }: Repeat): string {
  const why = first.error === undefined ? "" : ` with ${describeError(first.error)}${finality(first.error)}`;
  const place = `failed${inTurn(first)}${why}`;
  return `${describeCall(again)} was called again${inTurn(again)} with the same arguments after it ${place}`;
}

function finality({ retryable }: ToolFailure): string {
  return retryable ? "" : " (not retryable)";
}

/** Says what the agent could have repeated and did not. */
function describeRestraint(failed: readonly TrialToolCall[], { tool }: Options): string {
  const [first] = failed;
  if (first !== undefined) {
    const more = failed.length > 1 ? `, nor were ${failed.length - 1} more` : "";
    return `The failed call was not repeated${more}: ${describeFailedCall(first)}`;
  }
  return `No call${tool === undefined ? "" : ` of ${describePatterns(tool)}`} failed in a way that forbids the same call`;
}
