import { describe, expect, it } from "vitest";
import { defineTool } from "./module/define-tool.js";
import type { JsonObject } from "../values/json.js";
import { readParameters } from "./param-definition.js";

const objectOf = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: "object",
  properties,
  ...(required.length > 0 ? { required } : {}),
  additionalProperties: false,
});

describe("readParameters", () => {
  it.each([
    [{ a: "string", b: "integer" }, objectOf({ a: { type: "string" }, b: { type: "integer" } })],
    [{ a: "string?" }, objectOf({ a: { type: "string" } }, [])],
    [
      { a: "string[]", b: "number[]?" },
      objectOf({ a: { type: "array", items: { type: "string" } }, b: { type: "array", items: { type: "number" } } }, [
        "a",
      ]),
    ],
    [
      { a: { type: "number", minimum: 0, description: "d" } },
      objectOf({ a: { type: "number", minimum: 0, description: "d" } }),
    ],
    [{ a: { type: "string", required: false } }, objectOf({ a: { type: "string" } }, [])],
    [{ a: { type: "string", default: "x" } }, objectOf({ a: { type: "string", default: "x" } }, [])],
    [{ a: { type: "array", items: "string" } }, objectOf({ a: { type: "array", items: { type: "string" } } })],
    [{ a: { type: "object", properties: { b: "string?" } } }, objectOf({ a: objectOf({ b: { type: "string" } }, []) })],
    [
      { a: { type: "object", properties: { b: { type: "string" } }, required: ["b"] } },
      objectOf({ a: { type: "object", properties: { b: { type: "string" } }, required: ["b"] } }),
    ],
    [{ a: { anyOf: [{ type: "string" }] } }, objectOf({ a: { anyOf: [{ type: "string" }] } })],
    [{ required: "boolean" }, objectOf({ required: { type: "boolean" } })],
  ])("%j is short", (written, schema) => {
    expect(readParameters(written)).toEqual({ success: true, data: schema });
  });

  it.each<JsonObject>([
    {},
    { type: "object" },
    { type: "object", required: ["a"] },
    { properties: { a: { type: "string" } } },
    { $ref: "#/definitions/a", definitions: { a: {} } },
    { allOf: [{ type: "object" }] },
    { anyOf: [{ type: "object" }] },
    { oneOf: [{ type: "object" }] },
  ])("%j is a JSON Schema", (written) => {
    expect(readParameters(written)).toEqual({ success: true, data: written });
  });

  it.each([
    [{ type: "string", a: "string" }, ["type"], 'A parameter named "type" needs the long form'],
    [{ a: "strng" }, ["a"], '"strng" is not a type of a parameter'],
    [{ a: { type: "strng" } }, ["a", "type"], '"strng" is not a type of a parameter'],
    [{ a: 5 }, ["a"], 'The parameter "a" is not valid'],
    [{ a: {} }, ["a"], 'The parameter "a" has no type'],
    [{ a: { type: "array", items: "strng" } }, ["a", "items"], '"strng" is not a type of a parameter'],
    [{ required: ["a"] }, ["required"], 'The parameter "required" is not valid'],
  ])("%j is rejected at its place", (written, path, message) => {
    expect(readParameters(written)).toMatchObject({
      success: false,
      error: [{ path, message, hint: expect.any(String) }],
    });
  });

  it("means what defineTool means", () => {
    const params = {
      order_id: { type: "string" },
      amount: { type: "number", default: 1 },
      note: { type: "string", required: false },
    } as const;
    const { input_schema } = defineTool({ name: "pay", params, exec: () => null });
    expect(readParameters(params)).toEqual({ success: true, data: input_schema });
  });
});
