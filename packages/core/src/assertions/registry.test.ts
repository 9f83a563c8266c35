import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "../values/deferred-zod.js";
import { compileSchema } from "../json-schema/compile-schema.js";
import { isRecord } from "../values/json.js";
import { assertionForms } from "../config/config-forms.js";
import { commonOptions } from "./common-options.js";
import { optionKeys, parseAssertion } from "./parse-assertion.js";
import { assertionDefinitions, assertionTypes, findAssertion } from "./registry.js";

const written = assertionForms(parse);
const compiled = compileSchema(written);
if (!compiled.success) throw new Error(compiled.error.message);
const validator = compiled.data;

describe.each(assertionDefinitions.map((definition) => [definition.type, definition] as const))(
  "%s",
  (type, definition) => {
    const example: unknown = parse(definition.example);

    it("is found by its type and says in a sentence when it passes", () => {
      expect(findAssertion(type)).toBe(definition);
      expect(definition.summary).toMatch(/^[A-Z].{20,}\.$/);
      expect(type).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    });

    it("has an example that is valid as it stands, of its own type", () => {
      expect(example).toMatchObject({ type });
      expect(parseAssertion(example, "/project")).toMatchObject({ success: true, data: { type } });
    });

    it("has a JSON Schema that accepts the example and refuses an unknown key", () => {
      expect(validator.validate(example)).toEqual([]);
      expect(validator.validate({ ...(example as object), unheard_of: 1 })).not.toEqual([]);
      expect(parseAssertion({ ...(example as object), unheard_of: 1 }, "/project").success).toBe(false);
    });

    it("describes each of its options", () => {
      const properties = z.toJSONSchema(definition.options, { io: "input", unrepresentable: "any" }).properties ?? {};
      expect(Object.keys(properties)).toEqual([...(optionKeys(definition) ?? [])]);
      for (const [key, property] of Object.entries(properties)) {
        expect(isRecord(property) && property["description"], `${type}.${key}`).toMatch(/\w{2,}/);
      }
    });
  },
);

describe("the registry", () => {
  it("has no type twice, and no option that hides a key of every assertion", () => {
    expect(new Set(assertionTypes).size).toBe(assertionDefinitions.length);
    for (const definition of assertionDefinitions) {
      for (const key of ["type", "schemaFile", ...Object.keys(commonOptions.shape)]) {
        expect(optionKeys(definition)).not.toContain(key);
      }
    }
  });
});

describe("the JSON Schema", () => {
  it.each([
    {
      all_of: [
        { type: "contains", value: "a" },
        { any_of: [{ type: "no_pii" }], not: true },
      ],
    },
    { at_least: 1, of: [{ type: "latency", max: "5s" }], weight: 2 },
    { type: "schema", schemaFile: "order.json" },
    { type: "contains", value: "a", when: { finish_reason: "stop" }, user_turn: 2, id: "x" },
  ])("accepts $0", (assertion) => {
    expect(validator.validate(assertion)).toEqual([]);
  });

  it.each([
    { type: "tool_caled", tool: "x" },
    { all_of: [] },
    { all_of: [{ type: "contains" }] },
    { at_least: 1 },
    { type: "contains", value: "a", weight: 0 },
    "no_pii",
  ])("refuses %j", (assertion) => {
    expect(validator.validate(assertion)).not.toEqual([]);
  });

  it("holds everything that it refers to", () => {
    const definitions = written["definitions"];
    const named = [...JSON.stringify(written).matchAll(/"#\/definitions\/([^"]+)"/g)].map((match) => match[1]);
    expect(isRecord(definitions) ? Object.keys(definitions) : []).toEqual(expect.arrayContaining(named));
    expect(named).toContain("assertion");
  });
});
