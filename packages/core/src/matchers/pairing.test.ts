import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maximumPairing } from "./pairing.js";

/** The size of a maximum matching by trying everything. */
function largestBySearch(edges: readonly (readonly boolean[])[], left = 0, taken = 0): number {
  const row = edges[left];
  if (row === undefined) return 0;
  let best = largestBySearch(edges, left + 1, taken);
  for (const [right, fits] of row.entries()) {
    if (!fits || (taken & (1 << right)) !== 0) continue;
    best = Math.max(best, 1 + largestBySearch(edges, left + 1, taken | (1 << right)));
  }
  return best;
}

describe("maximumPairing", () => {
  it("gives the narrow one what it needs where a greedy pairing would not", () => {
    const pairs = maximumPairing(["any", "a"], ["a", "b"], (wanted, made) => wanted === "any" || wanted === made);
    expect(pairs).toEqual([1, 0]);
  });

  it("leaves out what fits nothing", () => {
    expect(maximumPairing([1, 2, 3], [3, 4], (left, right) => left === right)).toEqual([null, null, 0]);
    expect(maximumPairing([], [1], () => true)).toEqual([]);
    expect(maximumPairing([1], [], () => true)).toEqual([null]);
  });

  it("asks about each pair once at most", () => {
    let asked = 0;
    maximumPairing([1, 2, 3, 4], [1, 2, 3, 4], () => {
      asked += 1;
      return false;
    });
    expect(asked).toBe(16);
  });

  it("follows an alternating path of 1,000 steps", () => {
    const indexes = [...Array(1_000).keys()];
    // Each may take its own or the next one; the last may take only the first, which pushes all others on.
    const fits = (left: number, right: number): boolean =>
      left === 999 ? right === 0 : right === left || right === left + 1;
    expect(maximumPairing(indexes, indexes, fits)).not.toContain(null);
  });

  it("is as large as an exhaustive search finds, and is a pairing", () => {
    const graph = fc
      .tuple(fc.nat(6), fc.nat(6))
      .chain(([left, right]) =>
        fc.array(fc.array(fc.boolean(), { minLength: right, maxLength: right }), { minLength: left, maxLength: left }),
      );
    fc.assert(
      fc.property(graph, (edges) => {
        const rights = [...(edges[0] ?? []).keys()];
        const pairs = maximumPairing([...edges.keys()], rights, (left, right) => edges[left]?.[right] === true);
        const used = pairs.filter((right) => right !== null);
        expect(new Set(used).size).toBe(used.length);
        for (const [left, right] of pairs.entries()) if (right !== null) expect(edges[left]?.[right]).toBe(true);
        expect(used.length).toBe(largestBySearch(edges));
      }),
    );
  });
});
