import * as z from "../../values/deferred-zod.js";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { isRecord } from "../../values/json.js";
import { preview } from "../../values/preview.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion } from "../define-assertion.js";
import { errorDetailsOf, readDirectCall } from "../tool-expectations/read-direct-call.js";

const kinds = ["result", "protocol", "output_schema", "connection", "timeout"] as const;

const options = strictObject({
  kind: z
    .enum(kinds)
    .optional()
    .describe(
      "`result`: a result with isError. `protocol`: a JSON-RPC error, or an answer that breaks the protocol. `output_schema`: structured content that breaks the schema which the server lists. `connection`: the server is gone. `timeout`: no answer in time. Default: any.",
    ),
  code: z.number().int().optional().describe("Code of the JSON-RPC error, such as -32602."),
  message: matcherSchema.optional().describe("Matcher for the message, or for the text of a result with isError."),
  data: matcherSchema.optional().describe("Matcher for the data of the JSON-RPC error."),
});

type Options = z.infer<typeof options>;

export const mcpError = defineAssertion<Options>({
  type: "mcp_error",
  summary: "The MCP server under test answered the call with an error that matches.",
  example: "{ type: mcp_error, kind: result, message: { $contains: Access denied } }",
  kind: "deterministic",
  options,
  evaluate(wanted, trial) {
    const call = readDirectCall(trial, "mcp_error");
    return call.success ? success(decide(wanted, call.data)) : call;
  },
});

function decide(wanted: Options, call: TrialToolCall): AssertionOutcome {
  const { tool, result, error } = call;
  if (error === undefined) {
    const message = `Expected ${describeWanted(wanted)}, but ${tool} returned ${preview(result)}`;
    return { pass: false, score: 0, message, expected: expectedOf(wanted), actual: result };
  }
  const found = errorDetailsOf(call);
  const { kind, code, data } = isRecord(found) ? found : {};
  const actual = { kind: error.errorType === "aborted" ? "timeout" : kind, code, message: error.message, data };
  const differs =
    (wanted.kind !== undefined && wanted.kind !== actual.kind) ||
    (wanted.code !== undefined && wanted.code !== code) ||
    wanted.message?.match(error.message).pass === false ||
    wanted.data?.match(data).pass === false;
  const what = describe(actual);
  const message = `${what}: ${preview(error.message)}`;
  if (!differs) return { pass: true, score: 1, message: `${tool} answered with ${message}` };
  return {
    pass: false,
    score: 0,
    message: `Expected ${describeWanted(wanted)}, but ${tool} answered with ${message}`,
    expected: expectedOf(wanted),
    actual: Object.fromEntries(Object.entries(actual).filter(([, value]) => value !== undefined)),
  };
}

function describe({ kind, code }: { kind?: unknown; code?: unknown }): string {
  const named = typeof kind === "string" ? `an error of kind ${kind}` : "an error";
  return typeof code === "number" ? `${named} with code ${code}` : named;
}

function describeWanted(wanted: Options): string {
  const message = wanted.message === undefined ? "" : ` whose message matches ${wanted.message.describe()}`;
  const data = wanted.data === undefined ? "" : ` whose data matches ${wanted.data.describe()}`;
  return `${describe(wanted)}${message}${data}`;
}

function expectedOf({ kind, code, message, data }: Options): Record<string, unknown> {
  const all = { kind, code, message: message?.source, data: data?.source };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
