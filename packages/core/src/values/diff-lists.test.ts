import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLists } from "./diff-lists.js";

const list = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
const shown = (before: string, after: string): string =>
  diffLists(before.split(""), after.split(""))
    .map(({ side, text }) => (side === "both" ? text : side === "before" ? `-${text}` : `+${text}`))
    .join(" ");

describe("diffLists", () => {
  it.each([
    ["abc", "abc", "a b c"],
    ["abc", "ac", "a -b c"],
    ["ac", "abc", "a +b c"],
    ["abc", "axc", "a -b +x c"],
    ["", "ab", "+a +b"],
    ["ab", "", "-a -b"],
    ["aba", "bab", "-a b a +b"],
  ])("%s to %s", (before, after, expected) => {
    expect(shown(before, after)).toBe(expected);
  });

  it("holds both lists, each in its order", () => {
    fc.assert(
      fc.property(list, list, (before, after) => {
        const entries = diffLists(before, after);
        const of = (side: "before" | "after") =>
          entries.filter((entry) => entry.side === "both" || entry.side === side).map(({ text }) => text);
        expect([of("before"), of("after")]).toEqual([before, after]);
      }),
    );
  });

  it("finds as much in common from either side", () => {
    const inCommon = (one: string[], other: string[]): number =>
      diffLists(one, other).filter(({ side }) => side === "both").length;
    fc.assert(fc.property(list, list, (one, other) => inCommon(one, other) === inCommon(other, one)));
    fc.assert(fc.property(list, list, (one, more) => inCommon(one, [...more, ...one]) === one.length));
  });

  it("does not stall on very long lists", () => {
    const one = Array.from({ length: 5_000 }, (_, index) => `one ${index}`);
    const other = ["same", ...one.map((text) => `other ${text}`), "end"];
    expect(diffLists(["same", ...one, "end"], other)).toHaveLength(10_002);
  });
});
