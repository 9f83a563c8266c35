import { argsOf } from "../../transcript/args-of.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { defineAssertion } from "../define-assertion.js";
import { argsOption } from "../tool-expectations/expected-call.js";
import { callData, describeCall, readToolCalls } from "../tool-expectations/made-calls.js";
import {
  describePatterns,
  looksLikeTool,
  patternReferences,
  toolPatterns,
} from "../tool-expectations/tool-patterns.js";

export const toolNotCalled = defineAssertion({
  type: "tool_not_called",
  summary: "The tool is not called, or not with matching arguments.",
  example: "{ type: tool_not_called, tool: issue_refund }",
  kind: "deterministic",
  options: strictObject({
    tool: toolPatterns.describe("Name of the tool, a glob such as delete_*, or a list of either."),
    args: argsOption,
  }),
  references: ({ tool }) => patternReferences(tool, "tool"),
  evaluate({ tool, args }, trial) {
    const calls = readToolCalls(trial, "tool_not_called");
    if (!calls.success) return calls;
    const forbidden = calls.data.filter(
      (call) => looksLikeTool(tool, call.tool) && (args === undefined || args.match(argsOf(call)).pass),
    );
    const what = `${describePatterns(tool)}${args === undefined ? "" : ` with ${args.describe()}`}`;
    const [first] = forbidden;
    if (first === undefined) return success({ pass: true, score: 1, message: `No call of ${what} was made` });
    const more = forbidden.length > 1 ? ` (and ${forbidden.length - 1} more)` : "";
    return success({
      pass: false,
      score: 0,
      message: `Expected no call of ${what}, but ${describeCall(first)} was called${more}`,
      expected: args === undefined ? { tool } : { tool, args: args.source },
      actual: forbidden.map(callData),
    });
  },
});
