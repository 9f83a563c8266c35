import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { activeMs } from "../__fixtures__/active-ms.js";
import { draws } from "../__fixtures__/draws.js";
import { exactIntegersOf, keepExactIntegers, memberOf, stringifyExact, withExactIntegers } from "./exact-integers.js";
import { preview } from "./preview.js";

const parse = (text: string): object => keepExactIntegers(text, JSON.parse(text) as object);

describe("the digits of large integers", () => {
  it("are kept beside the value, which stays what JSON.parse makes of it", () => {
    const text = '{"id": 9007199254740993, "list": [1, -18446744073709551615, {"a/b~": 12345678901234567891}]}';
    const value = parse(text);
    expect(value).toEqual(JSON.parse(text));
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(stringifyExact(value)).toBe(text.replaceAll(/(?<=[:,]) /g, ""));
    expect(memberOf(value, "id")).toBe(9007199254740993n);
    expect(exactIntegersOf(value)).toEqual({
      "/id": "9007199254740993",
      "/list/1": "-18446744073709551615",
      "/list/2/a~1b~0": "12345678901234567891",
    });
    expect(preview(value)).toBe(
      '{id: 9007199254740993, list: [1, -18446744073709551615, {"a/b~": 12345678901234567891}]}',
    );
  });

  it.each([
    ["a number holds them", '{"id": 9007199254740992, "big": 100000000000000000000}'],
    ["they are digits of a string", '{"id": "9007199254740993", "x": "a \\" 9007199254740993 b"}'],
    ["they are part of a fraction or a power", '{"id": 9007199254740993.5, "x": 9007199254740993e2}'],
  ])("are not noted where %s", (_, text) => {
    expect(exactIntegersOf(parse(text))).toBeUndefined();
  });

  it("are read in a short time, however long the text is", () => {
    const long = "9".repeat(1_000_000);
    const text = String.raw`{"a": "${'x\\"'.repeat(200_000)}", "id": 9007199254740993, "b": ${long}}`;
    expect(activeMs(() => expect(exactIntegersOf(parse(text))).toEqual({ "/id": "9007199254740993" }))).toBeLessThan(
      1_000,
    );
    expect(exactIntegersOf(parse(`{"a": ${"9".repeat(400)}}`))).toEqual({ "/a": "9".repeat(400) });
  });

  it("come back from a file, unless the value has another form", () => {
    const exact = exactIntegersOf(parse('{"a": [{"id": 9007199254740993}]}'));
    const value: unknown = JSON.parse('{"a": [{"id": 9007199254740992}]}');
    expect(exactIntegersOf(withExactIntegers(value, exact))).toEqual({ "/a/0/id": "9007199254740993" });
    expect(exactIntegersOf(withExactIntegers({ a: "x" }, exact))).toBeUndefined();
    expect(exactIntegersOf(withExactIntegers({ a: [{ id: "9" }] }, exact))).toBeUndefined();
    expect(exactIntegersOf(withExactIntegers({ a: [{ id: 9 }] }, { "/a/0/id": "x" }))).toBeUndefined();
  });

  it("are those of the text, wherever they are in it", () => {
    const leaf = fc.oneof(
      fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
      fc.string(),
      fc.boolean(),
      fc.constantFrom("integer 5", '"9007199254740993"'),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("tree")), fc.dictionary(fc.string(), tie("tree"))),
    }));
    const write = (value: unknown): string => {
      if (typeof value === "bigint") return String(value);
      if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
      if (typeof value !== "object" || value === null) return JSON.stringify(value);
      return `{${Object.entries(value)
        .map(([key, item]) => `${JSON.stringify(key)}:${write(item)}`)
        .join(",")}}`;
    };
    fc.assert(
      fc.property(fc.array(tree), (drawn) => {
        const value = parse(write(drawn));
        const check = (here: unknown, wanted: unknown): void => {
          if (typeof wanted === "bigint") expect(BigInt(here as number | bigint)).toBe(wanted);
          else if (typeof wanted !== "object" || wanted === null) expect(here).toBe(wanted);
          else for (const [key, item] of Object.entries(wanted)) check(memberOf(here as object, key), item);
        };
        check(value, drawn);
      }),
      { numRuns: draws({ brief: 80, full: 20_000 }) },
    );
  });
});
