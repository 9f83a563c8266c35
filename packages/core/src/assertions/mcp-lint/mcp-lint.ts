import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { toolGlob } from "../../schema-parts/tool-glob.js";
import { isList, isRecord } from "../../values/json.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { plural } from "../../values/plural.js";
import { evalError } from "../assertion-failure.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion } from "../define-assertion.js";
import { readDirectCall } from "../tool-expectations/read-direct-call.js";
import { lintRules, nameOf, type LintRuleName, type ListedTool } from "./lint-rules.js";

const type = "mcp_lint";
const shown = 5;
const usualLength = 1_024;

const ruleNames = [
  "missing_description",
  "long_description",
  "missing_parameter_description",
  "untyped_parameter",
  "unknown_required",
  "invalid_schema",
  "invalid_name",
  "duplicate_name",
  "similar_name",
  "similar_description",
] as const satisfies readonly LintRuleName[];

const options = strictObject({
  rules: z.array(z.enum(ruleNames)).min(1).optional().describe("Rules to check. Default: all of them."),
  off: z.array(z.enum(ruleNames)).min(1).optional().describe("Rules to leave out."),
  ignore: z.array(toolGlob).min(1).optional().describe("Names or globs of tools that are not checked."),
  max_description: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(`Longest description of a tool, in characters. Default: ${usualLength}.`),
});

type Options = z.infer<typeof options>;

export const mcpLint = defineAssertion<Options>({
  type,
  summary: "The tools that the MCP server under test lists are described so that models can use them.",
  example: "{ type: mcp_lint, off: [untyped_parameter] }",
  kind: "deterministic",
  options,
  evaluate(wanted, trial) {
    const call = readDirectCall(trial, type);
    if (!call.success) return call;
    const { result, error } = call.data;
    if (error !== undefined) {
      return success({ pass: false, score: 0, message: `The server did not list its tools: ${error.message}` });
    }
    const tools = isRecord(result) ? result["tools"] : undefined;
    if (isList(tools)) return success(decide(wanted, tools.filter(isRecord)));
    return evalError(type, `"${type}" needs a target that lists tools, such as { mcp: files }`);
  },
});

interface LintFinding {
  tool: string;
  rule: LintRuleName;
  problem: string;
}

function decide(wanted: Options, tools: readonly ListedTool[]): AssertionOutcome {
  const { rules = ruleNames, off = [], ignore = [], max_description: maxDescription = usualLength } = wanted;
  const checked = tools.filter((tool) => !ignore.some((glob) => matchesNameGlob(glob, nameOf(tool))));
  const active = rules.filter((rule) => !off.includes(rule));
  const findings = checked.flatMap((tool) =>
    active.flatMap((rule) =>
      lintRules[rule](tool, { tools, maxDescription }).map((problem): LintFinding => ({
        tool: nameOf(tool),
        rule,
        problem,
      })),
    ),
  );
  if (findings.length === 0) {
    return {
      pass: true,
      score: 1,
      message: `${plural(checked.length, "tool")} passed ${plural(active.length, "rule")}`,
    };
  }
  const lines = findings.slice(0, shown).map(({ tool, rule, problem }) => `${tool}: ${problem} (${rule})`);
  const more = findings.length > shown ? `; and ${findings.length - shown} more` : "";
  const message = `Found ${plural(findings.length, "problem")}: ${lines.join("; ")}${more}`;
  return { pass: false, score: 0, message, expected: [], actual: findings };
}
