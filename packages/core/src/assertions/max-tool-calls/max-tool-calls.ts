import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { toolGlob } from "../../schema-parts/tool-glob.js";
import { defineAssertion } from "../define-assertion.js";
import { describeTools, readToolCalls } from "../tool-expectations/made-calls.js";
import { plural } from "../../values/plural.js";
import { looksLikeTool, patternReferences } from "../tool-expectations/tool-patterns.js";

export const maxToolCalls = defineAssertion({
  type: "max_tool_calls",
  summary: "No more than this many tool calls are made, of the tool or of all.",
  example: "{ type: max_tool_calls, max: 3 }",
  kind: "deterministic",
  options: strictObject({
    max: z.int().nonnegative().describe("The most calls that may be made, inclusive."),
    tool: toolGlob.optional().describe("Counts the calls of this tool (a name or a glob) only."),
  }),
  references: ({ tool }) => patternReferences(tool, "tool"),
  evaluate({ max, tool }, trial) {
    const calls = readToolCalls(trial, "max_tool_calls");
    if (!calls.success) return calls;
    const counted = tool === undefined ? calls.data : calls.data.filter((call) => looksLikeTool(tool, call.tool));
    const limit = tool === undefined ? plural(max, "tool call") : `${plural(max, "call")} of ${tool}`;
    const made = counted.length;
    if (made <= max) {
      return success({ pass: true, score: 1, message: `${made} of at most ${limit} made` });
    }
    return success({
      pass: false,
      score: 0,
      message: `Expected at most ${limit}, but ${made === 1 ? "1 was" : `${made} were`} made: ${describeTools(counted)}`,
      expected: max,
      actual: made,
    });
  },
});
