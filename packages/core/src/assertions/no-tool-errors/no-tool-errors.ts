import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { failureOf } from "../../transcript/failure-of.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { defineAssertion } from "../define-assertion.js";
import { describeErrors, describeFailedCall, errorTypes, isWantedError } from "../tool-expectations/describe-error.js";
import { placedCallData, readToolCalls } from "../tool-expectations/made-calls.js";
import { plural } from "../../values/plural.js";
import { describePatterns, matchesTool, patternReferences, toolPatterns } from "../tool-expectations/tool-patterns.js";

export const noToolErrors = defineAssertion({
  type: "no_tool_errors",
  summary: "No tool call fails, or none of the tool or with an error of the type.",
  example: "{ type: no_tool_errors, error_type: validation }",
  kind: "deterministic",
  options: strictObject({
    tool: toolPatterns
      .optional()
      .describe("Only calls of this tool: a name, a glob such as fs_*, or a list of either."),
    error_type: errorTypes.optional().describe("Only errors of this type, or of one of these types. Default: any."),
    allow_fallback: z
      .boolean()
      .optional()
      .describe("False counts the error of a tool whose `fallback` answered in its place as well. Default: true."),
  }),
  references: ({ tool }) => patternReferences(tool, "tool"),
  evaluate({ tool, error_type: wanted, allow_fallback: allowsFallback = true }, trial) {
    const calls = readToolCalls(trial, "no_tool_errors");
    if (!calls.success) return calls;
    const meant = tool === undefined ? calls.data : calls.data.filter((call) => matchesTool(tool, call.tool));
    const ofTool = allowsFallback ? meant : meant.map(withUnderlyingError);
    const failed = ofTool.filter((call) => {
      const error = failureOf(call);
      return error !== undefined && isWantedError(wanted, error);
    });
    const [first] = failed;
    const where = tool === undefined ? "" : ` of ${describePatterns(tool)}`;
    const what = describeErrors(wanted);
    if (first === undefined) {
      const message = `None of ${plural(ofTool.length, "call")}${where} failed with ${what}`;
      return success({ pass: true, score: 1, message });
    }
    const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : "";
    return success({
      pass: false,
      score: 0,
      message: `Expected no call${where} to fail with ${what}, but ${describeFailedCall(first)}${more}`,
      expected: { ...(tool === undefined ? {} : { tool }), ...(wanted === undefined ? {} : { error_type: wanted }) },
      actual: failed.map(placedCallData),
    });
  },
});

/** The call as it would have been without its fallback. */
function withUnderlyingError(call: TrialToolCall): TrialToolCall {
  return call.fallback === undefined ? call : { ...call, error: call.fallback.reason };
}
