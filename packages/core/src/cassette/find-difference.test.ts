import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countDifferences, findDifference } from "./find-difference.js";

describe("the first difference", () => {
  it.each([
    [{ a: 1 }, { a: 2 }, { path: "a", recorded: "1", asked: "2" }],
    [{ m: [{ c: "x" }] }, { m: [{ c: "y" }] }, { path: "m[0].c", recorded: '"x"', asked: '"y"' }],
    [{ a: 1, b: 2 }, { a: 1 }, { path: "b", recorded: "2", asked: "nothing" }],
    [[1], [1, { x: 1 }], { path: "[1]", recorded: "nothing", asked: "{x: 1}" }],
    [{ "odd key": true }, { "odd key": null }, { path: '["odd key"]', recorded: "true", asked: "null" }],
    ["a", "b", { path: "the whole", recorded: '"a"', asked: '"b"' }],
    [{ a: [] }, { a: {} }, { path: "a", recorded: "[]", asked: "{}" }],
  ])("of %j and %j", (recorded, asked, expected) => {
    expect(findDifference(recorded, asked)).toEqual(expected);
  });

  it("in long texts is shown from shortly before it", () => {
    const long = "word ".repeat(100);
    expect(findDifference(`${long}one${long}`, `${long}two${long}`)).toEqual({
      path: "the whole",
      recorded: '"…word word word word oneword word word word word word word wo…"',
      asked: '"…word word word word twoword word word word word word word wo…"',
    });
  });

  it("is there exactly where values differ, and differences are counted no further than asked for", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const [a, b] = [left, right].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        expect(findDifference(a, a)).toBeNull();
        expect(findDifference(a, b) === null).toBe(countDifferences(a, b, 5) === 0);
        expect(countDifferences(a, b, 2)).toBeLessThanOrEqual(2);
      }),
    );
  });
});
