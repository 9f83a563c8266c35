import * as z from "zod";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { defineAssertion } from "../define-assertion.js";
import { argsOption, toolName } from "../tool-expectations/expected-call.js";
import { callData, describeCall, joinNames, readToolCalls } from "../tool-expectations/made-calls.js";

export const toolNotCalled = defineAssertion({
  type: "tool_not_called",
  summary: "The tool is not called, or not with matching arguments.",
  example: "{ type: tool_not_called, tool: issue_refund }",
  kind: "deterministic",
  options: strictObject({
    tool: z
      .union([toolName, z.array(toolName).min(1)])
      .describe("Name of the tool, a glob such as delete_*, or a list of either."),
    args: argsOption,
  }),
  references({ tool }) {
    const named = (name: string, path: readonly (string | number)[]) =>
      /[*?]/.test(name) ? [] : [{ kind: "tool" as const, name, needed: false, path }];
    return typeof tool === "string"
      ? named(tool, ["tool"])
      : tool.flatMap((name, index) => named(name, ["tool", index]));
  },
  evaluate({ tool, args }, trial) {
    const calls = readToolCalls(trial, "tool_not_called");
    if (!calls.success) return calls;
    const globs = typeof tool === "string" ? [tool] : tool;
    const forbidden = calls.data.filter(
      (call) =>
        globs.some((glob) => matchesNameGlob(glob, call.tool)) && (args === undefined || args.match(call.args).pass),
    );
    const what = `${joinNames(globs, "or")}${args === undefined ? "" : ` with ${args.describe()}`}`;
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
