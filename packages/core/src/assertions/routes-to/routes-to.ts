import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion } from "../define-assertion.js";
import { describeTools, readToolCalls } from "../tool-expectations/made-calls.js";
import { looksLikeTool, matchesTool, patternReferences, toolPatterns } from "../tool-expectations/tool-patterns.js";

const noTool = "none";

const options = strictObject({
  tool: z.string().min(1).describe("Name of the tool that should be called; none if no tool should be."),
  never: toolPatterns.optional().describe("Names or globs of tools that must not be called at any time."),
  match: z
    .enum(["first", "any"])
    .optional()
    .describe("Whether the first call has to be one of the tool, or any call. Default: first."),
});

type Options = z.infer<typeof options>;

export const routesTo = defineAssertion<Options>({
  type: "routes_to",
  summary: "The request led to the tool; the report counts expected and called tools in a confusion table.",
  example: "{ type: routes_to, tool: lookup_order, never: [cancel_order] }",
  kind: "deterministic",
  options,
  references: ({ tool, never }) => [
    ...(tool === noTool ? [] : [{ kind: "tool" as const, name: tool, needed: true, path: ["tool"] }]),
    ...patternReferences(never, "never"),
  ],
  evaluate(wanted, trial) {
    const calls = readToolCalls(trial, "routes_to");
    return calls.success ? success(decide(wanted, calls.data)) : calls;
  },
});

/** `expected` and `actual` are also there if it passes: the confusion table counts them. */
function decide({ tool, never, match = "first" }: Options, calls: readonly TrialToolCall[]): AssertionOutcome {
  const names = calls.map((call) => call.tool);
  const [first = noTool] = names;
  const called = match === "any" && names.includes(tool) ? tool : first;
  const forbidden =
    never === undefined ? undefined : names.find((name) => matchesTool(never, name) || looksLikeTool(never, name));
  const pass = called === tool && forbidden === undefined;
  return {
    pass,
    score: pass ? 1 : 0,
    message: describe(tool, called, forbidden, calls),
    expected: { tool },
    actual: { tool: called },
  };
}

function describe(
  tool: string,
  called: string,
  forbidden: string | undefined,
  calls: readonly TrialToolCall[],
): string {
  const wanted = tool === noTool ? "no tool to be called" : `the request to lead to "${tool}"`;
  if (called !== tool) {
    const found = calls.length === 0 ? "no tool was called" : `the calls were ${describeTools(calls)}`;
    return `Expected ${wanted}, but ${found}`;
  }
  if (forbidden !== undefined) return `Expected "${forbidden}" not to be called, but it was`;
  return tool === noTool ? "No tool was called" : `The request led to ${tool}`;
}
