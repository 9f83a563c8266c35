import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { createAjv } from "./create-ajv.js";
import { isObviouslyValidSchema, plainCheckOf } from "./is-obviously-valid-schema.js";

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
    let taken = 0;
    fc.assert(
      fc.property(anySchema, (schema) => {
        if (!isObviouslyValidSchema(schema)) return;
        taken += 1;
        for (const ajv of validators) {
          expect(typeof schema === "boolean" || ajv.validateSchema(schema as object)).toBe(true);
        }
      }),
      { numRuns: 5_000 },
    );
    expect(taken).toBeGreaterThan(500);
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

const scalar = fc.constantFrom<unknown>(null, true, false, -1, 0, 1.5, 2, 3, "", "a", "ab", "\u{1f600}", "\ud83d");
const name = fc.constantFrom("a", "b", "toString", "__proto__");
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    scalar,
    fc.constantFrom(
      undefined,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      new (class Other {
        readonly a = 1;
      })(),
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
}));
const types = fc.constantFrom("array", "boolean", "integer", "null", "number", "object", "string");
const limit = fc.constantFrom(0, 1, 2);
const { schema: plainSchema } = fc.letrec<{ schema: unknown }>((tie) => {
  const members = fc.dictionary(name, tie("schema"), { maxKeys: 2 });
  const branches = fc.array(tie("schema"), { minLength: 1, maxLength: 2 });
  const sizes = ["Length", "Items", "Properties"].flatMap((of) => [`min${of}`, `max${of}`]);
  const limits = [...sizes, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
  const keywords = {
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
    const: fc.oneof(scalar, fc.constant({})),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    properties: members,
    additionalProperties: tie("schema"),
    items: tie("schema"),
    allOf: branches,
    anyOf: branches,
    oneOf: branches,
    not: tie("schema"),
    pattern: fc.constantFrom("a", "^b?$", "\\\\-", "("),
    uniqueItems: fc.boolean(),
    description: fc.constant("text"),
    ...Object.fromEntries(limits.map((key) => [key, limit])),
  };
  const one = fc.oneof(
    ...Object.entries(keywords).map(([key, argument]) => argument.map((given: unknown) => ({ [key]: given }))),
  );
  const schema = fc.array(one, { maxLength: 3 }).map((parts) => Object.assign({}, ...parts) as unknown);
  return { schema: fc.oneof({ depthSize: "small", withCrossShrink: true }, fc.boolean(), schema) };
});

describe("plainCheckOf", () => {
  it("accepts what ajv accepts, never more, and of data no less", () => {
    const ajv = createAjv("2020-12", { meta: false });
    const seen = { accepted: 0, refused: 0, left: 0 };
    fc.assert(
      fc.property(plainSchema, fc.array(anyValue, { minLength: 5, maxLength: 5 }), (schema, values) => {
        expect(isObviouslyValidSchema(schema)).toBe(true);
        const accepts = plainCheckOf(schema);
        if (accepts === null) return void (seen.left += 1);
        const validate = ajv.compile(schema as object);
        for (const value of values) {
          const isAccepted = accepts(value);
          const isValid = validate(value);
          seen[isAccepted ? "accepted" : "refused"] += 1;
          if (isAccepted) expect(isValid).toBe(true);
          else if (isOrdinary(value) && isOrdinary(schema)) expect(isValid).toBe(false);
        }
      }),
      { numRuns: draws({ brief: 1_000, full: 20_000 }) },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(30);
  });
});

/** Data of JSON without names that every object inherits. */
const isOrdinary = (value: unknown): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(value) ?? "0"), value) &&
  !/__proto__|toString/.test(JSON.stringify(value));
