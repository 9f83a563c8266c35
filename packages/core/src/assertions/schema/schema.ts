import * as z from "../../values/deferred-zod.js";
import { failure, success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { defineAssertion } from "../define-assertion.js";
import { parseAnswerJson } from "../text/parse-answer-json.js";
import { readOutput } from "../text/read-output.js";

const inlineSchema = z.union([z.record(z.string(), z.json()), z.boolean()]);

export const schema = defineAssertion({
  type: "schema",
  summary: "The final answer is JSON that is valid by a JSON Schema (draft-07 or 2020-12).",
  example: "{ type: schema, schema: { type: object, required: [status] } }",
  kind: "deterministic",
  options: strictObject({
    schema_file: z.string().min(1).optional().describe("File of the JSON Schema, relative to the config file."),
    schema: inlineSchema.optional().describe("The JSON Schema itself, instead of a file."),
    strict: z.boolean().optional().describe("True to refuse a code fence around the JSON."),
  }).refine(({ schema_file: file, schema: inline }) => (file === undefined) !== (inline === undefined), {
    error: 'Exactly one of "schema_file" and "schema" is needed',
  }),
  references({ schema_file: file, schema: inline }) {
    if (file !== undefined) return [{ kind: "schema_file", file, path: ["schema_file"] }];
    return inline === undefined ? [] : [{ kind: "schema", schema: inline, path: ["schema"] }];
  },
  resolvePaths(options, resolve) {
    return options.schema_file === undefined ? options : { ...options, schema_file: resolve(options.schema_file) };
  },
  async evaluate({ schema_file: file, schema: inline, strict = false }, trial, context) {
    const output = readOutput(trial, "schema");
    if (!output.success) return output;
    const validator = file === undefined ? context.compileSchema(inline ?? true) : await context.loadSchema(file);
    if (!validator.success) return failure(validator.error);

    const parsed = parseAnswerJson(output.data, strict);
    if (!parsed.success) {
      const message = `Expected the answer to be JSON, but ${parsed.error}`;
      return success({ pass: false, score: 0, message, actual: output.data });
    }
    const violations = validator.data.validate(parsed.data);
    const [first] = violations;
    if (first === undefined) return success({ pass: true, score: 1, message: "The answer is valid by its schema" });
    const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
    return success({
      pass: false,
      score: 0,
      message: `The answer breaks its schema: ${first.path === "" ? "it" : first.path} ${first.message}${more}`,
      expected: file ?? inline,
      actual: parsed.data,
    });
  },
});
