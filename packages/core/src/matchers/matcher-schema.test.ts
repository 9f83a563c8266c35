import { describe, expect, it } from "vitest";
import * as z from "zod";
import { problemsOf } from "../schema-parts/parse-with.js";
import { strictObject } from "../schema-parts/strict-object.js";
import { matcherSchema } from "./matcher-schema.js";

const options = strictObject({ args: matcherSchema.optional(), value: matcherSchema });

describe("matcherSchema", () => {
  it("yields a compiled matcher, and undefined where it is optional", () => {
    const parsed = options.parse({ value: { $gt: 1 } });
    expect(parsed.value.match(2)).toEqual({ pass: true });
    expect(parsed.args).toBeUndefined();
    expect(options.parse({ value: null }).value.match(null)).toEqual({ pass: true });
  });

  it("reports every problem at its place, with the hint apart", () => {
    const parsed = options.safeParse({ args: { a: [{ $regx: "x" }] }, value: { $gt: "1" } });
    expect(parsed.success ? [] : problemsOf(parsed.error)).toEqual([
      {
        path: ["args", "a", 0, "$regx"],
        message: 'Unknown operator "$regx"',
        hint: 'Did you mean "$regex"?',
        atKey: true,
      },
      { path: ["value", "$gt"], message: "$gt takes a number" },
    ]);
  });

  it("misses a matcher that must be there", () => {
    const parsed = options.safeParse({});
    expect(parsed.success ? [] : problemsOf(parsed.error)).toEqual([
      { path: ["value"], message: "A matcher is missing" },
    ]);
  });

  it("is described once in a JSON Schema that takes any value", () => {
    const schema = z.toJSONSchema(options, { io: "input" });
    expect(schema.properties).toEqual({ args: { $ref: "#/$defs/Matcher" }, value: { $ref: "#/$defs/Matcher" } });
    expect(schema.required).toEqual(["value"]);
    expect(Object.keys(schema.$defs ?? {})).toEqual(["Matcher"]);
    expect(schema.$defs?.["Matcher"]?.description).toContain("operators such as");
  });
});
