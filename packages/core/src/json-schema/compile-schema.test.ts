import { describe, expect, it } from "vitest";
import { activeMs } from "../__fixtures__/active-ms.js";
import { shortenDeadlines } from "../__fixtures__/shorten-deadlines.js";
import type { JsonObject } from "../values/json.js";
import { compileSchema } from "./compile-schema.js";
import type { SchemaValidator } from "./schema-validator.js";

const draft7 = "http://json-schema.org/draft-07/schema#";
const draft2019 = "https://json-schema.org/draft/2019-09/schema";
const draft2020 = "https://json-schema.org/draft/2020-12/schema";

function compiled(schema: JsonObject | boolean): SchemaValidator {
  const result = compileSchema(schema);
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

const order: JsonObject = {
  type: "object",
  required: ["id"],
  additionalProperties: false,
  properties: {
    id: { type: "string", pattern: "^ORD-" },
    status: { enum: ["open", "sent"] },
    kind: { const: "a" },
    email: { type: "string", format: "email" },
    items: {
      type: "array",
      maxItems: 2,
      items: { type: "object", properties: { price: { type: "number", minimum: 0 } }, required: ["price"] },
    },
    "odd key": { type: ["string", "null"] },
    "0": { type: "string" },
    any: { anyOf: [{ type: "string" }, { type: "number" }] },
  },
};

describe("compileSchema: violations", () => {
  it.each<[change: JsonObject, path: string, message: string]>([
    [{ id: 1 }, "id", "must be of type string, but is 1"],
    [{ id: "x" }, "id", 'must match /^ORD-/, but is "x"'],
    [{ status: "lost" }, "status", 'must be one of "open", "sent", but is "lost"'],
    [{ kind: "b" }, "kind", 'must be "a", but is "b"'],
    [{ email: "nope" }, "email", 'must be a valid email, but is "nope"'],
    [{ extra: 1 }, "", 'must not have the property "extra"'],
    [{ items: [{ price: 1 }, {}] }, "items[1]", 'must have the property "price"'],
    [{ items: [{ price: -1 }] }, "items[0].price", "must be >= 0, but is -1"],
    [{ items: [{ price: 1 }, { price: 1 }, { price: 1 }] }, "items", "must NOT have more than 2 items"],
    [{ "odd key": 1 }, '["odd key"]', "must be of type string or null, but is 1"],
    [{ 0: 1 }, '["0"]', "must be of type string, but is 1"],
  ])("%j is wrong at %j", (change, path, message) => {
    expect(compiled(order).validate({ id: "ORD-1", ...change })).toMatchObject([{ path, message }]);
  });

  it("says what stands there, all of it at once, and nothing for a valid value", () => {
    expect(compiled(order).validate({ status: "lost", items: 3 })).toEqual([
      { path: "", message: 'must have the property "id"', actual: { status: "lost", items: 3 } },
      { path: "status", message: 'must be one of "open", "sent", but is "lost"', actual: "lost" },
      { path: "items", message: "must be of type array, but is 3", actual: 3 },
    ]);
    expect(compiled(order).validate({ id: "ORD-1", any: 1 })).toEqual([]);
  });

  it("says that no branch fits after saying why each does not", () => {
    const messages = compiled(order)
      .validate({ id: "ORD-1", any: true })
      .map(({ message }) => message);
    expect(messages).toContain("must match one of the schemas of anyOf");
  });

  it("leaves out that an if failed", () => {
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    const schema = { if: { required: ["a"] }, then: { required: ["b"] } };
    expect(compiled(schema).validate({ a: 1 })).toMatchObject([{ message: 'must have the property "b"' }]);
  });

  it("reports 100 violations at most", () => {
    const numbers = Array.from({ length: 500 }, (_, index) => index);
    expect(compiled({ items: { type: "string" } }).validate(numbers)).toHaveLength(100);
  });

  it("does not change the value", () => {
    const value = { a: "1" };
    compiled({ properties: { a: { type: "number" }, b: { default: 1 } } }).validate(value);
    expect(value).toEqual({ a: "1" });
  });
});

describe("compileSchema: drafts", () => {
  const tuple = { items: [{ type: "string" }], additionalItems: false };

  it("reads draft-07 where $schema says so", () => {
    expect(compiled({ $schema: draft7, ...tuple }).validate(["a", 1])).toHaveLength(1);
    expect(
      compiled({ $schema: draft7, definitions: { a: { type: "null" } }, $ref: "#/definitions/a" }).validate(1),
    ).toHaveLength(1);
  });

  it("reads 2020-12 by default", () => {
    const schema = { prefixItems: [{ type: "string" }], items: false };
    expect(compiled(schema).validate(["a", 1])).toMatchObject([{ message: "must NOT have more than 1 items" }]);
    expect(compiled({ $schema: draft2020, ...schema }).validate(["a", 1])).toHaveLength(1);
    expect(compileSchema(tuple).success).toBe(false);
  });

  it("reads 2019-09", () => {
    const schema = { $schema: draft2019, properties: { a: {} }, unevaluatedProperties: false };
    expect(compiled(schema).validate({ a: 1, b: 1 })).toMatchObject([{ message: 'must not have the property "b"' }]);
    expect(compiled({ $schema: draft2019, ...tuple }).validate(["a", 1])).toHaveLength(1);
  });

  it("follows references within the schema, by pointer, anchor and $id", () => {
    const schema = {
      $id: "https://example.com/order",
      $defs: { money: { $anchor: "money", type: "number" }, own: { $id: "own", type: "string" } },
      properties: { a: { $ref: "#/$defs/money" }, b: { $ref: "#money" }, c: { $ref: "own" }, d: { $ref: "#" } },
    };
    expect(
      compiled(schema)
        .validate({ a: "x", b: "x", c: 1, d: { a: "x" } })
        .map(({ path }) => path),
    ).toEqual(["a", "b", "c", "d.a"]);
  });

  it("keeps apart schemas with one $id, at the root and below", () => {
    const withType = (type: string): JsonObject => ({
      $id: "https://example.com/x",
      type: "object",
      properties: { a: { $id: "https://example.com/y", type } },
    });
    const [text, number] = [compiled(withType("string")), compiled(withType("number"))];
    expect(text.validate({ a: "x" })).toEqual([]);
    expect(number.validate({ a: "x" })).toHaveLength(1);
    expect(number.validate({ a: 1 })).toEqual([]);
  });
});

describe("compileSchema: schemas that are not valid", () => {
  it.each<[schema: JsonObject, reason: string]>([
    [{ type: "strng" }, 'type must be one of "array", "boolean"'],
    [{ properties: { a: { required: "x" } } }, 'properties.a.required must be of type array, but is "x"'],
    [{ properties: { a: { pattern: "(" } } }, 'the pattern "(" does not compile'],
    [{ patternProperties: { "[": {} } }, 'the pattern "[" does not compile'],
    [{ minLength: -1 }, "minLength must be >= 0, but is -1"],
    [
      { $ref: "https://example.com/other.json" },
      '$ref "https://example.com/other.json" does not resolve; a reference must stay within',
    ],
    [{ properties: { a: { $ref: "./money.json#/x" } } }, '$ref "money.json#/x" does not resolve'],
    [{ $ref: "#/$defs/nowhere" }, '$ref "#/$defs/nowhere" does not resolve'],
    [{ $schema: "http://json-schema.org/draft-04/schema#" }, "is not supported; use draft-07, 2019-09 or 2020-12"],
    [{ $schema: 7 }, "$schema must be a string"],
  ])("%j", (schema, reason) => {
    const result = compileSchema(schema);
    expect(result).toMatchObject({ success: false, error: { code: "SCHEMA_FILE_ERROR" } });
    expect(result.success ? "" : result.error.message).toContain(`The JSON Schema is not valid: `);
    expect(result.success ? "" : result.error.message).toContain(reason);
  });

  it("keeps apart schemas that have no $id, however many there are", () => {
    const choices = Array.from({ length: 50 }, (_, index) => index);
    const schemaOf = (index: number, $schema: string): JsonObject => ({
      $schema,
      definitions: { own: { const: -1 } },
      properties: { number: { const: index }, text: { type: "string", pattern: `^${index}$` } },
    });
    for (const draft of [draft7, draft2019, draft2020]) {
      const validators = choices.map((index) => compiled(schemaOf(index, draft)));
      const broken = compileSchema({ $schema: draft, type: "string", pattern: "(" });
      expect(broken.success).toBe(false);
      for (const [index, validator] of validators.entries()) {
        expect(validator.validate({ number: index, text: `${index}` })).toEqual([]);
        expect(validator.validate({ number: index + 1, text: "x" })).toMatchObject([
          { path: "number", message: `must be ${index}, but is ${index + 1}` },
          { path: "text", message: `must match /^${index}$/, but is "x"` },
        ]);
      }
    }
  });

  it("does not mind unknown keywords and formats", () => {
    expect(compiled({ "x-note": 1, format: "postcode", type: "string", example: "x" }).validate("x")).toEqual([]);
  });
});

describe("compileSchema", () => {
  it("compiles once per object", () => {
    const schema = { type: "string" };
    expect(compileSchema(schema)).toBe(compileSchema(schema));
  });

  it("takes booleans for schemas", () => {
    expect(compiled(true).validate(1)).toEqual([]);
    expect(compiled(false).validate(1)).toHaveLength(1);
  });

  it("takes patterns with escapes that the u flag forbids", () => {
    expect(compiled({ pattern: "^[\\w\\-\\@]+$" }).validate("a-b@")).toEqual([]);
    expect(compiled({ pattern: "^\\p{Lu}$" }).validate("Ä")).toEqual([]);
  });

  it("is not stalled by a pattern that backtracks without end", () => {
    shortenDeadlines();
    const validator = compiled({ pattern: "^(a+)+$" });
    const stall = (): unknown => validator.validate(`${"a".repeat(40)}b`);
    expect(activeMs(() => expect(stall).toThrow(/took more than 250 ms/))).toBeLessThan(1_000);
  });

  it.each([
    ["date-time", "2026-01-31T10:00:00Z", "2026-01-32T10:00:00Z"],
    ["date", "2024-02-29", "2023-02-29"],
    ["uuid", "123e4567-e89b-12d3-a456-426614174000", "123"],
    ["uri", "https://example.com/a", "not a uri"],
    ["ipv4", "127.0.0.1", "300.0.0.1"],
  ])("checks the format %s", (format, good, bad) => {
    expect(compiled({ format }).validate(good)).toEqual([]);
    expect(compiled({ format }).validate(bad)).toHaveLength(1);
  });
});
