import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitDifference } from "./fit-difference.js";
import { textWidth } from "./text-width.js";

const long = "abcdefghij".repeat(20);

describe("fitDifference", () => {
  it.each([
    ["a short one", "another", 20, ["a short one", "another"]],
    [
      `${long}1250 eur ${long}`,
      `${long}1 eur ${long}`,
      30,
      ["…bcdefghij1250 eur abcdefghij…", "…bcdefghij1 eur abcdefghijabc…"],
    ],
    [`x${long}`, `y${long}`, 10, ["xabcdefgh…", "yabcdefgh…"]],
    [`${long}end`, long, 12, ["…ghijend", "…ghij"]],
    [`${"日本".repeat(40)}東京`, `${"日本".repeat(40)}大阪`, 12, ["…日本東京", "…日本大阪"]],
    [`${long}👩‍👩‍👧‍👦!`, `${long}👩‍👩‍👧!`, 12, ["…ghij👩‍👩‍👧‍👦!", "…ghij👩‍👩‍👧!"]],
  ])("keeps what surrounds the difference (%#)", (one, other, columns, fitted) => {
    expect(fitDifference(one, other, columns)).toEqual(fitted);
  });

  it("shows a difference in any two strings, and is never wider", () => {
    const unit = fc.constantFrom("a", "b", "日", "👩‍👩‍👧‍👦", "e\u0301", " ");
    const text = fc.array(unit, { maxLength: 80 });
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: 12, max: 60 }), (start, one, other, columns) => {
        const [a, b] = [one, other].map((end) => [...start, ...end].join(""));
        fc.pre(a !== undefined && b !== undefined && a !== b);
        const shown = fitDifference(a ?? "", b ?? "", columns);
        expect(shown[0]).not.toBe(shown[1]);
        for (const side of shown) expect(textWidth(side)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
