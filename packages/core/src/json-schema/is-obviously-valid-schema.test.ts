import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { createAjv } from "./create-ajv.js";
import { isObviouslyValidSchema } from "./is-obviously-valid-schema.js";

const leaf = fc.oneof(
  fc.constantFrom("object", "string", "strng", "", "#/a", "^a", true, false, null, 0, 1, -1, 1.5, "https://x.org/a"),
  fc.array(fc.constantFrom("a", "b", "null", "string", 1, true), { maxLength: 3 }),
);
const keyword = fc.constantFrom(
  "type",
  "properties",
  "patternProperties",
  "definitions",
  "$defs",
  "additionalProperties",
  "propertyNames",
  "items",
  "contains",
  "$ref",
  "$id",
  "$comment",
  "not",
  "if",
  "then",
  "else",
  "allOf",
  "anyOf",
  "oneOf",
  "required",
  "enum",
  "const",
  "default",
  "examples",
  "title",
  "description",
  "format",
  "pattern",
  "uniqueItems",
  "readOnly",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "prefixItems",
  "x-unknown",
);
const { schema: anySchema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    leaf,
    fc.dictionary(keyword, fc.oneof(leaf, tie("schema"), fc.array(tie("schema"), { maxLength: 2 })), { maxKeys: 3 }),
    fc.dictionary(fc.constantFrom("a", "b"), tie("schema"), { maxKeys: 2 }),
  ),
}));

describe("isObviouslyValidSchema", () => {
  it("never takes a schema that a meta-schema refuses", () => {
    const validators = (["draft-07", "2019-09", "2020-12"] as const).map((draft) => createAjv(draft));
    const numRuns = draws({ brief: 2_000, full: 50_000 });
    let taken = 0;
    fc.assert(
      fc.property(anySchema, (schema) => {
        if (!isObviouslyValidSchema(schema)) return;
        taken += 1;
        for (const ajv of validators) {
          expect(typeof schema === "boolean" || ajv.validateSchema(schema as object)).toBe(true);
        }
      }),
      { numRuns },
    );
    expect(taken).toBeGreaterThan(numRuns / 10);
  });

  it("takes what schemas of tools are made of, and leaves the rest to the meta-schema", () => {
    const common = {
      type: "object",
      title: "Order",
      properties: { id: { type: "string", minLength: 1 }, n: { anyOf: [{ $ref: "#/$defs/n" }, { type: "null" }] } },
      required: ["id"],
      additionalProperties: false,
      $defs: { n: { type: ["integer", "null"], default: null } },
    };
    expect(isObviouslyValidSchema(common)).toBe(true);
    expect(isObviouslyValidSchema({ prefixItems: [] })).toBe(false);
    expect(isObviouslyValidSchema({ constructor: {} })).toBe(false);
    expect(isObviouslyValidSchema({ required: ["a", "a"] })).toBe(false);
    expect(isObviouslyValidSchema({ enum: [{ a: 1 }, { a: 1 }] })).toBe(false);
  });
});
