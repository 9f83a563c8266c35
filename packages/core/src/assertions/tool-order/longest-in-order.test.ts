import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { longestInOrder } from "./longest-in-order.js";

const letters = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 7 });
const equal = (a: string, b: string): boolean => a === b;

/** By trying everything. */
function longestLength(left: readonly string[], right: readonly string[]): number {
  const [first, ...rest] = left;
  if (first === undefined) return 0;
  const place = right.indexOf(first);
  const without = longestLength(rest, right);
  return place < 0 ? without : Math.max(without, 1 + longestLength(rest, right.slice(place + 1)));
}

describe("longestInOrder", () => {
  it("finds as many in order as there are", () => {
    fc.assert(
      fc.property(letters, letters, (expected, made) => {
        const partners = longestInOrder(expected, made, equal);
        const taken = partners.filter((partner) => partner !== null);
        expect(taken.length).toBe(longestLength(expected, made));
        expect(taken.toSorted((a, b) => a - b)).toEqual(taken);
        expect(new Set(taken).size).toBe(taken.length);
        for (const [index, partner] of partners.entries()) {
          if (partner !== null) expect(made[partner]).toBe(expected[index]);
        }
      }),
    );
  });

  it("leaves nothing out that stands alone", () => {
    expect(longestInOrder(["a", "b"], ["x", "a", "y", "b"], equal)).toEqual([1, 3]);
    expect(longestInOrder([], ["a"], equal)).toEqual([]);
  });
});
