import type * as z from "../../values/deferred-zod.js";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import type { Matcher } from "../../matchers/matcher.js";
import { success } from "../../result.js";
import { durationSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { renderResult } from "../../transcript/render-mcp-result.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { renderDuration } from "../../values/duration.js";
import { isRecord } from "../../values/json.js";
import { preview } from "../../values/preview.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion } from "../define-assertion.js";
import { readDirectCall } from "../tool-expectations/read-direct-call.js";
import { describeError } from "../tool-expectations/describe-error.js";

const options = strictObject({
  text: matcherSchema.optional().describe("Matcher for the text of the result."),
  structured: matcherSchema.optional().describe("Matcher for the structured content."),
  content: matcherSchema
    .optional()
    .describe("Matcher for the list of content as the server sent it; bytes are replaced by their length and SHA-256."),
  result: matcherSchema.optional().describe("Matcher for the whole result."),
  max_duration: durationSchema.optional().describe("Longest time that the call may take."),
});

type Options = z.infer<typeof options>;

export const mcpResult = defineAssertion<Options>({
  type: "mcp_result",
  summary: "The MCP server under test answered the call without an error, and its result matches.",
  example: "{ type: mcp_result, structured: { temperature: { $gt: 0 } } }",
  kind: "deterministic",
  options,
  evaluate(wanted, trial) {
    const call = readDirectCall(trial, "mcp_result");
    return call.success ? success(decide(wanted, call.data)) : call;
  },
});

function decide({ max_duration: longestMs, ...wanted }: Options, call: TrialToolCall): AssertionOutcome {
  const { tool, result, error, durationMs } = call;
  if (error !== undefined) {
    const message = `Expected ${tool} to return a result, but it failed with ${describeError(error, 300)}`;
    return { pass: false, score: 0, message, actual: error };
  }
  for (const part of ["text", "structured", "content", "result"] as const) {
    const problem = compare(part, wanted[part], result);
    if (problem !== null) return problem;
  }
  if (longestMs !== undefined && durationMs !== undefined && durationMs > longestMs) {
    const took = renderDuration(Math.round(durationMs));
    const message = `Expected ${tool} to answer within ${renderDuration(longestMs)}, but it took ${took}`;
    return { pass: false, score: 0, message, expected: longestMs, actual: durationMs };
  }
  return { pass: true, score: 1, message: `${tool} returned ${preview(renderResult(result))}` };
}

const words = { text: "the text", structured: "the structured content", content: "the content", result: "the result" };

function compare(part: keyof typeof words, wanted: Matcher | undefined, result: unknown): AssertionOutcome | null {
  if (wanted === undefined) return null;
  const actual = partOf(part, result);
  const matched = wanted.match(actual);
  if (matched.pass) return null;
  const [first] = matched.mismatches;
  const where = first === undefined || first.path === "" ? "" : ` at ${first.path}`;
  const found = first?.actual === undefined ? "absent" : preview(first.actual);
  return {
    pass: false,
    score: 0,
    message: `Expected ${words[part]} to match ${wanted.describe()}, but it is ${found}${where}`,
    expected: wanted.source,
    actual,
  };
}

function partOf(part: keyof typeof words, result: unknown): unknown {
  if (part === "result" || !isRecord(result)) return result;
  const { structuredContent, content, contents, messages } = result;
  if (part === "structured") return structuredContent;
  if (part === "content") return content ?? contents ?? messages;
  return renderResult({ ...result, structuredContent: undefined });
}
