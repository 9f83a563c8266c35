import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { defineAssertion } from "../define-assertion.js";
import { inTurn } from "../tool-expectations/call-order.js";
import { createChangeFinder, findRepeats, type Repeat, type RepeatedPair } from "../tool-expectations/find-repeats.js";
import { describeCall, placedCallData, readToolCalls } from "../tool-expectations/made-calls.js";
import { plural } from "../../values/plural.js";
import { describePatterns, matchesTool, patternReferences, toolPatterns } from "../tool-expectations/tool-patterns.js";

export const noRedundantCalls = defineAssertion({
  type: "no_redundant_calls",
  summary:
    "No call that succeeded is made again with the same arguments, nor any call twice in one turn; a failed call may be tried again.",
  example: "{ type: no_redundant_calls }",
  kind: "deterministic",
  options: strictObject({
    tool: toolPatterns
      .optional()
      .describe("Only calls of this tool: a name, a glob such as get_*, or a list of either."),
    max: z.int().nonnegative().default(0).describe("So many redundant calls are tolerated. Default 0."),
    unless_after: toolPatterns
      .optional()
      .describe(
        "Tools (names or globs) that change what others return: after a successful call of one, the same call is not redundant.",
      ),
  }),
  references: ({ tool, unless_after: changers }) => [
    ...patternReferences(tool, "tool"),
    ...patternReferences(changers, "unless_after"),
  ],
  evaluate({ tool, max, unless_after: changers }, trial) {
    const calls = readToolCalls(trial, "no_redundant_calls");
    if (!calls.success) return calls;
    const hasChangeBetween = createChangeFinder(calls.data, changers);
    const counts = (pair: RepeatedPair): boolean =>
      (tool === undefined || matchesTool(tool, pair.again.tool)) &&
      (areOfOneTurn(pair) || pair.first.error === undefined) &&
      !hasChangeBetween(pair);
    const redundant = findRepeats(calls.data, counts);
    const where = tool === undefined ? "" : ` of ${describePatterns(tool)}`;
    const [first] = redundant;
    if (first === undefined) {
      return success({ pass: true, score: 1, message: `No call${where} was redundant` });
    }
    const described = describeRepeat(first, redundant.length - 1);
    if (redundant.length <= max) {
      const message = `The redundant calls${where} are no more than ${max}: ${described}`;
      return success({ pass: true, score: 1, message });
    }
    const limit = max === 0 ? "no redundant call" : `at most ${plural(max, "redundant call")}`;
    return success({
      pass: false,
      score: 0,
      message: `Expected ${limit}${where}, but ${described}`,
      expected: max,
      actual: redundant.map(({ first: one, again }) => ({
        first: placedCallData(one),
        again: placedCallData(again),
      })),
    });
  },
});

/** The agent cannot have known of a failure of the first when it made the second. */
function areOfOneTurn({ first, again }: Repeat): boolean {
  return first.turn !== undefined && first.turn === again.turn && first.step === again.step;
}

function describeRepeat(repeat: Repeat, others: number): string {
  const { first, again } = repeat;
  const more = others > 0 ? ` (and ${others} more)` : "";
  if (areOfOneTurn(repeat)) return `${describeCall(again)} was made twice${inTurn(again)}${more}`;
  return `${describeCall(again)} was made again${inTurn(again)} after it had succeeded${inTurn(first)}${more}`;
}
