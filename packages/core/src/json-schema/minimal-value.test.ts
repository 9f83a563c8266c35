import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../values/json.js";
import { compileSchema } from "./compile-schema.js";
import { minimalValue } from "./minimal-value.js";
import { textForPattern } from "./minimal-text.js";

describe("minimalValue", () => {
  it.each<[schema: JsonObject, value: JsonValue]>([
    [
      { type: "object", properties: { id: { type: "string" }, more: { type: "string" } }, required: ["id"] },
      { id: "a" },
    ],
    [{ type: "object" }, {}],
    [{ enum: ["open", "sent"] }, "open"],
    [{ const: 7 }, 7],
    [{ type: "string", minLength: 5 }, "aaaaa"],
    [{ type: "string", pattern: "^ORD-\\d{3,}$" }, "ORD-000"],
    [{ type: "string", pattern: "^[A-Z]+$", minLength: 4 }, "AAAA"],
    [{ type: "string", maxLength: 0 }, ""],
    [{ type: "string", format: "date" }, "2026-01-01"],
    [{ type: "integer", minimum: 3 }, 3],
    [{ type: "integer", multipleOf: 5, minimum: 7 }, 10],
    [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: "number", maximum: -2 }, -2],
    [{ type: ["null", "string"] }, null],
    [{ type: "array", items: { type: "integer" }, minItems: 3, uniqueItems: true }, [0, 1, 2]],
    [{ type: "array", items: { enum: ["a", "b"] }, minItems: 2, uniqueItems: true }, ["a", "b"]],
    [{ type: "array", contains: { const: 4 } }, [4]],
    [
      { type: "object", minProperties: 2 },
      { a1: "a", a2: "a" },
    ],
    [{ anyOf: [{ type: "integer" }, { type: "string" }] }, 0],
    [
      { allOf: [{ properties: { a: { type: "integer" } }, required: ["a"] }, { properties: { a: { minimum: 4 } } }] },
      { a: 4 },
    ],
    [{ $ref: "#/$defs/money", $defs: { money: { type: "number", minimum: 1 } } }, 1],
    [
      { properties: { a: {} }, required: ["a"], dependentRequired: { a: ["b"] } },
      { a: "a", b: "a" },
    ],
    // The first choice contradicts what stands beside it.
    [{ type: "object", required: ["b"], oneOf: [{ properties: { b: false } }, { required: ["b"] }] }, { b: "a" }],
    [
      {
        type: "object",
        properties: { kind: { enum: ["a", "b"] } },
        required: ["kind"],
        if: { properties: { kind: { const: "a" } } },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { required: ["more"] },
      },
      { kind: "a", more: "a" },
    ],
    [{ type: "string", pattern: "^(?=.*\\d)[a-z\\d]+$", examples: ["a1"] }, "a1"],
  ])("%j", (schema, value) => {
    expect(minimalValue(schema)).toEqual({ value });
  });

  it.each<JsonObject>([
    { type: "string", pattern: "^(?=.*\\d)[a-z\\d]+$" },
    { not: {} },
    { enum: [] },
    { properties: { a: { $ref: "#" } }, required: ["a"] },
    { $ref: "#/nowhere" },
    JSON.parse('{"properties":{"__proto__":{"type":"object"}},"required":["__proto__"],"additionalProperties":false}'),
  ])("gives none for %j", (schema) => {
    expect(minimalValue(schema)).toBeNull();
  });

  /** No object of its own key __proto__ is valid to ajv, so none is made for such a schema. */
  const keyName = fc.string().filter((name) => name !== "__proto__");
  const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
    fc.record({ type: fc.constant("string"), minLength: fc.nat(6), maxLength: fc.integer({ min: 6, max: 9 }) }),
    fc.constantFrom("date", "date-time", "email", "uuid", "uri", "ipv4").map((format) => ({ type: "string", format })),
    fc.record({ type: fc.constant("integer"), minimum: fc.integer({ min: -9, max: 9 }) }),
    fc.record({ type: fc.constant("number"), maximum: fc.integer({ min: -9, max: 9 }) }),
    fc.record({ type: fc.constantFrom("boolean", "null") }),
    fc.record({ enum: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }) }),
  );
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.dictionary(keyName, tie("schema"), { maxKeys: 3 }).map((properties) => ({
        type: "object",
        properties,
        required: Object.keys(properties),
        additionalProperties: false,
      })),
      fc.record({ type: fc.constant("array"), items: tie("schema"), minItems: fc.nat(2) }),
      fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    ),
  }));

  it("is valid, whatever can be made", () => {
    fc.assert(
      fc.property(schema, (given) => {
        const compiled = compileSchema(given);
        const made = minimalValue(given);
        expect(made).not.toBeNull();
        expect(compiled.success && compiled.data.validate(made?.value)).toEqual([]);
      }),
    );
  });
});

describe("a schema that asks for more than anybody gives", () => {
  const many = { type: "array", minItems: 1_000, items: { type: "array", minItems: 1_000 } };
  it.each<[string, JsonObject]>([
    ["entries", { type: "array", minItems: 1e9 }],
    ["entries of entries", many],
    ["entries in all", { type: "array", minItems: 2, items: { type: "array", minItems: 1_500 } }],
    ["contained entries", { type: "array", contains: { const: 1 }, minContains: 1e9 }],
    ["properties", { type: "object", minProperties: 1e9 }],
    ["characters", { type: "string", minLength: 5e8 }],
    ["repeated characters", { type: "string", pattern: "^(?:a{1000}){100000}$" }],
  ])("has no minimal value: %s", (_name, schema) => {
    expect(minimalValue({ type: "object", required: ["a"], properties: { a: schema } })).toBeNull();
  });
});

describe("textForPattern", () => {
  it.each(["^a|b$", "^\\w+@\\w+\\.com$", "[^a-z]{2,4}", "^(?:x(?<y>y)?){2}$", "\\u0041\\x42", "^[\\d-]{3}$", "a.c\\/"])(
    "%s",
    (pattern) => {
      expect(textForPattern(pattern)).toMatch(new RegExp(pattern));
      expect(textForPattern(pattern, 2)).toMatch(new RegExp(pattern));
    },
  );

  it.each(["(?!a)b", "(a)\\1", "\\p{Lu}", "(a", "[a"])("gives none for %s", (pattern) => {
    expect(textForPattern(pattern)).toBeNull();
  });
});
