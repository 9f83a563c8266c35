import { describe, expect, it } from "vitest";
import { kindlmError } from "../../errors/kindlm-error.js";
import { compileSchema } from "../../json-schema/compile-schema.js";
import { failure } from "../../result.js";
import type { AssertionContext } from "../define-assertion.js";
import { toolArgsSchema } from "./tool-args-schema.js";

const schema = {
  type: "object",
  properties: { id: { type: "string" }, n: { type: "number" } },
  required: ["id"],
  additionalProperties: false,
};

/** Only what the assertion uses: inline schemas, and one file. */
const context = {
  compileSchema,
  loadSchema: async (file: string) =>
    file === "/project/a.json"
      ? compileSchema(schema)
      : failure(kindlmError("SCHEMA_FILE_ERROR", `Schema file not found: ${file}`)),
} as AssertionContext;

const evaluate = (written: unknown, trial: object) =>
  toolArgsSchema.evaluate(toolArgsSchema.options.parse(written), trial, context);
const trialOf = (...allArgs: unknown[]) => ({ toolCalls: allArgs.map((args) => ({ tool: "a", args })) });

describe("tool_args_schema", () => {
  it("passes when every call of the tool is valid", async () => {
    const toolCalls = [...trialOf({ id: "x" }, { id: "y", n: 1 }).toolCalls, { tool: "b", args: 1 }];
    expect(await evaluate({ tool: "a", schema }, { toolCalls })).toEqual({
      success: true,
      data: { pass: true, score: 1, message: 'The arguments of 2 calls of "a" are valid by the schema' },
    });
  });

  it("passes when there is nothing to validate, and says so", async () => {
    expect(await evaluate({ tool: "a", schema }, { toolCalls: [] })).toMatchObject({
      data: { pass: true, message: 'Tool "a" was not called; there is nothing to validate' },
    });
  });

  it.each<[args: unknown, words: string]>([
    [{ id: 5 }, "a({id: 5}): id must be of type string, but is 5"],
    [{ n: "x" }, 'a({n: "x"}): must have the property "id" (and 1 more)'],
    [{ id: "x", z: 1 }, 'a({id: "x", z: 1}): must not have the property "z"'],
    [undefined, "a(): its arguments are not JSON"],
  ])("names what is wrong with %j", async (args, words) => {
    expect(await evaluate({ tool: "a", schema }, trialOf({ id: "x" }, args))).toMatchObject({
      data: {
        pass: false,
        score: 0.5,
        message: `Expected the arguments of every call of "a" to be valid, but 1 of 2 calls are not: ${words}`,
        expected: schema,
        actual: [{ tool: "a", args }],
      },
    });
  });

  it("loads a schema file from its absolute path", async () => {
    const written = toolArgsSchema.options.parse({ tool: "a", schema_file: "a.json" });
    const options = toolArgsSchema.resolvePaths?.(written, (path) => `/project/${path}`) ?? written;
    expect(await toolArgsSchema.evaluate(options, trialOf({ id: 1 }), context)).toMatchObject({
      data: { pass: false, expected: "/project/a.json" },
    });
    expect(await evaluate({ tool: "a", schema_file: "b.json" }, trialOf())).toMatchObject({
      success: false,
      error: { code: "SCHEMA_FILE_ERROR" },
    });
  });

  it("cannot be evaluated without recorded calls", async () => {
    expect(await evaluate({ tool: "a", schema }, {})).toMatchObject({ error: { code: "ASSERTION_EVAL_ERROR" } });
  });

  it("takes a schema or a file, not both nor neither", () => {
    expect(toolArgsSchema.options.safeParse({ tool: "a" }).success).toBe(false);
    expect(toolArgsSchema.options.safeParse({ tool: "a", schema, schema_file: "x" }).success).toBe(false);
    expect(toolArgsSchema.options.safeParse({ tool: "a", schema: "x" }).success).toBe(false);
  });

  it("refers to its tool and its schema", () => {
    const referencesOf = (written: object) => toolArgsSchema.references?.(toolArgsSchema.options.parse(written));
    const tool = { kind: "tool", name: "a", needed: false, path: ["tool"] };
    expect(referencesOf({ tool: "a", schema })).toEqual([tool, { kind: "schema", schema, path: ["schema"] }]);
    expect(referencesOf({ tool: "a", schema_file: "s.json" })).toEqual([
      tool,
      { kind: "schema_file", file: "s.json", path: ["schema_file"] },
    ]);
  });
});
