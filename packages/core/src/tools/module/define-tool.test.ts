import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { compileSchema } from "../../json-schema/compile-schema.js";
import { defineTool, defineTools, type ToolContext, type WrittenAttributes } from "./define-tool.js";
import type { ParamDefinition, ParamDefinitions } from "../param-definition.js";

const context: ToolContext = { signal: new AbortController().signal, workspace: null, emit: () => undefined };

const everyParam = defineTool({
  name: "all",
  description: "Takes all there is",
  attributes: { readonly: true, noEffect: true },
  params: {
    text: { type: "string", description: "A text" },
    choice: { type: "string", enum: ["asc", "desc"] },
    level: { type: "integer", enum: [1, 2] },
    flag: { type: "boolean", required: false },
    limit: { type: "number", default: 42 },
    unit: { type: "string", required: false, default: "kg" },
    tags: { type: "array", items: { type: "string" } },
    profile: {
      type: "object",
      required: false,
      properties: {
        email: { type: "string" },
        age: { type: "number", required: false },
        role: { type: "string", default: "user" },
      },
    },
  },
  exec(args, ctx) {
    expectTypeOf(args.text).toEqualTypeOf<string>();
    expectTypeOf(args.choice).toEqualTypeOf<"asc" | "desc">();
    expectTypeOf(args.level).toEqualTypeOf<1 | 2>();
    expectTypeOf(args.flag).toEqualTypeOf<boolean | undefined>();
    expectTypeOf(args.limit).toEqualTypeOf<number>();
    expectTypeOf(args.unit).toEqualTypeOf<string>();
    expectTypeOf(args.tags).toEqualTypeOf<string[]>();
    expectTypeOf(args.profile?.email).toEqualTypeOf<string | undefined>();
    expectTypeOf(args.profile).extract<object>().toHaveProperty("age");
    expectTypeOf(ctx).toEqualTypeOf<ToolContext>();
    // @ts-expect-error there is no such parameter, which the types have to say
    expect(args.other).toBeUndefined();
    return args;
  },
});

describe("defineTool", () => {
  it("makes JSON Schema of short parameters", () => {
    expect(everyParam).toMatchObject({
      name: "all",
      description: "Takes all there is",
      attributes: { readonly: true, noEffect: true },
    });
    expect(everyParam.input_schema).toEqual({
      type: "object",
      properties: {
        text: { type: "string", description: "A text" },
        choice: { type: "string", enum: ["asc", "desc"] },
        level: { type: "integer", enum: [1, 2] },
        flag: { type: "boolean" },
        limit: { type: "number", default: 42 },
        unit: { type: "string", default: "kg" },
        tags: { type: "array", items: { type: "string" } },
        profile: {
          type: "object",
          properties: { email: { type: "string" }, age: { type: "number" }, role: { type: "string", default: "user" } },
          required: ["email"],
          additionalProperties: false,
        },
      },
      required: ["text", "choice", "level", "tags"],
      additionalProperties: false,
    });
  });

  it("takes the older words of the KODE SDK for attributes, and a prompt", () => {
    const of = (attributes: WrittenAttributes) =>
      defineTool({ name: "t", prompt: "Use it once.", params: {}, attributes, exec: () => null });
    expect(of({ access: "read", mutates: false, safe: true })).toMatchObject({
      prompt: "Use it once.",
      attributes: { readonly: true, noEffect: true },
    });
    expect(of({ access: "write", mutates: true }).attributes).toEqual({ readonly: false, noEffect: false });
    expect(of({ readonly: false, access: "read" }).attributes).toEqual({ readonly: false, noEffect: false });
  });

  it("fills defaults in, also inside, and leaves what was given", () => {
    const given = { text: "a", choice: "asc", level: 1, tags: [], profile: { email: "a@b.c" } };
    expect(everyParam.exec(given, context)).toEqual({
      ...given,
      limit: 42,
      unit: "kg",
      profile: { email: "a@b.c", role: "user" },
    });
    expect(everyParam.exec({ ...given, limit: 0, unit: "" }, context)).toMatchObject({ limit: 0, unit: "" });
    expect(given).not.toHaveProperty("limit");
  });

  it("takes a JSON Schema as it is, with the caller's word for the arguments", () => {
    const input_schema = { type: "object", properties: { code: { type: "string", pattern: "^[A-Z]{3}$" } } };
    const tool = defineTool<{ code?: string }>({
      name: "advanced",
      input_schema,
      exec(args) {
        expectTypeOf(args).toEqualTypeOf<{ code?: string }>();
        return args.code;
      },
    });
    expect(tool.input_schema).toBe(input_schema);
    expect(tool.attributes).toEqual({ readonly: false, noEffect: false });
    expect(tool.exec({ code: "ABC" }, context)).toBe("ABC");
  });

  it("declares several at once, each with types of its own", () => {
    const tools = defineTools([
      {
        name: "add",
        params: { a: { type: "number" }, b: { type: "number" } },
        exec(args) {
          expectTypeOf(args.a).toEqualTypeOf<number>();
          return args.a + args.b;
        },
      },
      {
        name: "greet",
        params: { who: { type: "string" } },
        exec(args) {
          expectTypeOf(args.who).toEqualTypeOf<string>();
          return `Hello, ${args.who}`;
        },
      },
    ]);
    expect(tools.map(({ name }) => name)).toEqual(["add", "greet"]);
    expect(tools[0]?.exec({ a: 1, b: 2 }, context)).toBe(3);
    expect(tools[1]?.exec({ who: "you" }, context)).toBe("Hello, you");
  });
});

const common = { description: fc.string(), required: fc.boolean() };
const anyParam = fc.letrec<{ param: ParamDefinition; params: ParamDefinitions }>((tie) => ({
  param: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constant("string" as const), ...common, default: fc.string() }, { requiredKeys: ["type"] }),
    fc.record({ type: fc.constant("number" as const), ...common, default: fc.integer() }, { requiredKeys: ["type"] }),
    fc.record({ type: fc.constant("boolean" as const), ...common }, { requiredKeys: ["type"] }),
    fc.record({ type: fc.constant("array" as const), items: tie("param") }),
    fc.record({ type: fc.constant("object" as const), properties: tie("params") }),
  ),
  params: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie("param"), { maxKeys: 4 }),
}));

/** Arguments with as little in them as the definitions allow. */
function leastArgs(params: ParamDefinitions): Record<string, unknown> {
  const needed = Object.entries(params).filter(([, param]) => param.required !== false && param.default === undefined);
  return Object.fromEntries(needed.map(([name, param]) => [name, leastValue(param)]));
}

function leastValue(param: ParamDefinition): unknown {
  if (param.type === "object") return leastArgs(param.properties);
  return { string: "", number: 0, integer: 0, boolean: false, array: [] }[param.type];
}

it("any parameters: the least arguments are valid, and stay so with their defaults filled in", () => {
  fc.assert(
    fc.property(anyParam.params, (params) => {
      const tool = defineTool({ name: "t", params, exec: (args) => args });
      const validator = compileSchema(tool.input_schema);
      if (!validator.success) throw new Error(validator.error.message);
      const args = leastArgs(params);
      expect(validator.data.validate(args)).toEqual([]);
      expect(validator.data.validate(tool.exec(args, context))).toEqual([]);
    }),
  );
}, 60_000);
