import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { checkedFormats, findSchemaSlips } from "./find-schema-slips.js";

const slipsOf = (schema: unknown): string[] =>
  findSchemaSlips(schema).map(({ path, message, hint }) => `${path.join(".")}: ${message} | ${hint}`);

const keyword = (place: string, name: string, nearest: string): string =>
  `${place}: JSON Schema has no keyword "${name}", so it checks nothing | ${nearest}`;

describe("findSchemaSlips", () => {
  it.each<[schema: unknown, slip: string]>([
    [{ requierd: ["id"] }, keyword("requierd", "requierd", 'Did you mean "required"?')],
    [{ require: ["id"] }, keyword("require", "require", 'Did you mean "required"?')],
    [{ tpye: "object" }, keyword("tpye", "tpye", 'Did you mean "type"?')],
    [{ minlength: 3 }, keyword("minlength", "minlength", 'Did you mean "minLength"?')],
    [
      { additionalproperty: false },
      keyword("additionalproperty", "additionalproperty", 'Did you mean "additionalProperties"?'),
    ],
    [{ ref: "#/$defs/a" }, keyword("ref", "ref", 'Did you mean "$ref"?')],
    [{ min: 1 }, keyword("min", "min", "Use minimum, minLength or minItems")],
    [{ properties: { a: { patern: "x" } } }, keyword("properties.a.patern", "patern", 'Did you mean "pattern"?')],
    [{ items: [{ enumm: [1] }] }, keyword("items.0.enumm", "enumm", 'Did you mean "enum"?')],
    [{ anyOf: [{ not: { cosnt: 1 } }] }, keyword("anyOf.0.not.cosnt", "cosnt", 'Did you mean "const"?')],
    [{ $defs: { a: { maxItem: 1 } } }, keyword("$defs.a.maxItem", "maxItem", 'Did you mean "maxItems"?')],
    [
      { format: "emial" },
      'format: JSON Schema format "emial" is not known, so any string passes | Did you mean "email"?',
    ],
    [
      { properties: { at: { format: "datetime" } } },
      'properties.at.format: JSON Schema format "datetime" is not known, so any string passes | Did you mean "date-time"?',
    ],
    [
      { format: "phone" },
      'format: JSON Schema format "phone" is not known, so any string passes | Use pattern to check it',
    ],
    [
      { $schema: "http://json-schema.org/draft-07/schema#", prefixItems: [] },
      'prefixItems: JSON Schema draft-07 has no keyword "prefixItems", so it checks nothing | Set $schema to https://json-schema.org/draft/2020-12/schema, or remove $schema',
    ],
  ])("finds the slip in %j", (schema, slip) => {
    expect(slipsOf(schema)).toEqual([slip]);
  });

  it.each<[what: string, schema: unknown]>([
    ["names of properties", { properties: { requierd: { type: "string" }, tpye: {} }, required: ["tpye"] }],
    ["data", { const: { requierd: 1 }, enum: [{ tpye: 1 }], default: { patern: 1 }, examples: [{ minlength: 1 }] }],
    [
      "notes of other programs",
      { example: 1, nullable: true, "x-requierd": 1, note: "n", notes: "n", id: "a", label: "l" },
    ],
    ["unknown keywords that are near none", { when: 1, group: "a", unit: "EUR", version: 2, source: "s", in: "query" }],
    ["keys that a reference leads into", { $ref: "#/defs/a", defs: { a: { type: "string" } } }],
    [
      "all keywords",
      { $id: "a", $defs: {}, allOf: [], contains: {}, minContains: 1, propertyNames: {}, if: {}, else: {} },
    ],
    ["booleans and other data", true],
  ])("leaves %s alone", (_, schema) => {
    expect(slipsOf(schema)).toEqual([]);
  });

  it("ends on a schema that holds itself, and on one nested 5,000 deep", () => {
    const own: Record<string, unknown> = { requierd: [] };
    own["items"] = own;
    expect(slipsOf(own)).toHaveLength(1);
    let deep: Record<string, unknown> = { tpye: "string" };
    for (let level = 0; level < 5_000; level += 1) deep = { items: deep };
    expect(findSchemaSlips(deep)).toHaveLength(1);
  });

  it("knows exactly the formats that are checked", () => {
    const { fullFormats } = createRequire(import.meta.url)("ajv-formats/dist/formats.js") as {
      fullFormats: Record<string, unknown>;
    };
    expect([...checkedFormats].toSorted()).toEqual(Object.keys(fullFormats).toSorted());
  });
});
