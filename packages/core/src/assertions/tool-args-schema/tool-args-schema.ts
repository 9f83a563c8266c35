import * as z from "../../values/deferred-zod.js";
import { failure, success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { JsonObject } from "../../values/json.js";
import { defineAssertion } from "../define-assertion.js";
import { toolName } from "../tool-expectations/expected-call.js";
import { callData, describeCall, readToolCalls } from "../tool-expectations/made-calls.js";
import { plural } from "../../values/plural.js";

const inlineSchema = z
  .union([z.record(z.string(), z.unknown()), z.boolean()])
  // A config holds nothing but JSON data, so there is nothing more to check.
  .pipe(z.custom<JsonObject | boolean>());

export const toolArgsSchema = defineAssertion({
  type: "tool_args_schema",
  summary: "The arguments of every call of the tool are valid by a JSON Schema; without a call it passes.",
  example: "{ type: tool_args_schema, tool: lookup_order, schema: { type: object, required: [order_id] } }",
  kind: "deterministic",
  options: strictObject({
    tool: toolName.describe("Name of the tool."),
    schema_file: z.string().min(1).optional().describe("File of the JSON Schema, relative to the config file."),
    schema: inlineSchema.optional().describe("The JSON Schema itself, instead of a file."),
  }).refine(({ schema_file: file, schema }) => (file === undefined) !== (schema === undefined), {
    error: 'Exactly one of "schema_file" and "schema" is needed',
  }),
  references({ tool, schema_file: file, schema }) {
    const references = [{ kind: "tool" as const, name: tool, needed: false, path: ["tool"] }];
    if (file !== undefined) return [...references, { kind: "schema_file", file, path: ["schema_file"] }];
    return schema === undefined ? references : [...references, { kind: "schema", schema, path: ["schema"] }];
  },
  resolvePaths(options, resolve) {
    return options.schema_file === undefined ? options : { ...options, schema_file: resolve(options.schema_file) };
  },
  async evaluate({ tool, schema_file: file, schema = true }, trial, context) {
    const calls = readToolCalls(trial, "tool_args_schema");
    if (!calls.success) return calls;
    const validator = file === undefined ? context.compileSchema(schema) : await context.loadSchema(file);
    if (!validator.success) return failure(validator.error);

    const ofTool = calls.data.filter((call) => call.tool === tool);
    if (ofTool.length === 0) {
      return success({ pass: true, score: 1, message: `Tool "${tool}" was not called; there is nothing to validate` });
    }
    const invalid = ofTool.flatMap((call) => {
      if (call.args === undefined) return [{ call, words: "its arguments are not JSON" }];
      const [first, ...rest] = validator.data.validate(call.args);
      if (first === undefined) return [];
      const more = rest.length > 0 ? ` (and ${rest.length} more)` : "";
      return [{ call, words: `${first.path} ${first.message}${more}`.trimStart() }];
    });
    const [worst] = invalid;
    const valid = ofTool.length - invalid.length;
    if (worst === undefined) {
      const message = `The arguments of ${plural(valid, "call")} of "${tool}" are valid by the schema`;
      return success({ pass: true, score: 1, message });
    }
    return success({
      pass: false,
      score: valid / ofTool.length,
      message: `Expected the arguments of every call of "${tool}" to be valid, but ${invalid.length} of ${plural(ofTool.length, "call")} are not: ${describeCall(worst.call)}: ${worst.words}`,
      expected: file ?? schema,
      actual: invalid.map(({ call }) => callData(call)),
    });
  },
});
