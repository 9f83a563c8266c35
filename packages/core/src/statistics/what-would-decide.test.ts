import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { createTrialSource } from "./__fixtures__/random-trials.js";
import { apart, compared, decide, kept, lost, won } from "./__fixtures__/compared-cases.js";
import type { ComparedCase } from "./compared-case.js";
import { decideComparison } from "./decide-comparison.js";

describe("what would decide", () => {
  it.each([
    [apart([19, kept], [1, lost]), 243, 15],
    // 73 pairs would do if none ever changed; twenty that did not change are no promise of that.
    [apart([20, kept]), 178, 10],
    [apart([10, compared([5, 5], [5, 5])]), 41, 22],
    // A gain needs only to be sure enough not to be a loss.
    [apart([18, kept], [2, won]), 136, 8],
    // With one case no number of trials makes it a regression, but more of its kind do.
    [apart([1, compared([10, 10], [2, 10])]), 8, null],
  ])("%#", (cases, moreCases, moreTrials) => {
    expect(decide(cases).wouldDecide).toEqual({ cases: moreCases, trials: moreTrials });
  });

  it("sees that trials do not help where the cases themselves differ", () => {
    const cases = apart([10, compared([50, 50], [30, 50])], [10, compared([30, 50], [50, 50])], [1, kept]);
    const { verdict, wouldDecide } = decide(cases);
    expect(verdict).toBe("inconclusive");
    expect(wouldDecide?.cases).toBeGreaterThan(50);
    expect(wouldDecide?.trials).toBeNull();
  });

  it("asks for more where only the approximation is decided already", () => {
    // Four losses and a small gain: p is 2/32, of which the normal distribution makes less than 0.05.
    const cases = apart([4, compared([10, 10], [0, 10])], [1, compared([0, 10], [1, 10])]);
    expect(decide(cases)).toMatchObject({ verdict: "inconclusive", p: 2 / 32, wouldDecide: { cases: 10, trials: 11 } });
  });

  it("is asked for an inconclusive verdict alone", () => {
    expect(decide(apart([5, lost])).wouldDecide).toBeNull();
    expect(decide(apart([90, kept])).wouldDecide).toBeNull();
    expect(decide([]).wouldDecide).toBeNull();
  });

  it("names more than there was, and as many of the same kind are decided then", () => {
    const outcome = fc.constantFrom(kept, kept, kept, lost, won);
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 3, maxLength: 25 }), (outcomes) => {
        const { verdict, wouldDecide } = decide(apart(...outcomes.map((one) => [1, one] as [number, ComparedCase])));
        fc.pre(verdict === "inconclusive" && wouldDecide !== null && wouldDecide.cases !== null);
        const needed = wouldDecide?.cases ?? 0;
        expect(needed).toBeGreaterThan(outcomes.length);
        // The forecast is an approximation: a third more must always do.
        const copies = Math.ceil((1.34 * needed) / outcomes.length);
        const grown = apart(...outcomes.map((one) => [copies, one] as [number, ComparedCase]));
        expect(decide(grown).verdict).not.toBe("inconclusive");
      }),
      { numRuns: 60 },
    );
  });

  it("names whole numbers above what there was, whatever the trials, clusters and levels", () => {
    const counts = fc
      .tuple(fc.nat(6), fc.nat(6))
      .filter(([passes, failures]) => passes + failures > 0)
      .map(([passes, failures]): [number, number] => [passes, passes + failures]);
    const one = fc.tuple(counts, counts, fc.constantFrom("a", "b", "c", "d", "e", "f", "g"));
    const levels = fc.record({ alpha: fc.constantFrom(0.001, 0.05, 0.4), margin: fc.constantFrom(0, 0.05, 0.5) });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 25 }), levels, (parts, given) => {
        const cases = parts.map(([before, after, cluster], index) =>
          compared(before, after, { caseId: String(index), cluster }),
        );
        const { verdict, wouldDecide } = decideComparison(cases, { seed: 1, ...given });
        expect(wouldDecide === null).toBe(verdict !== "inconclusive");
        const most = Math.max(...parts.flatMap(([before, after]) => Math.min(before[1], after[1])));
        const least = Math.min(...parts.flatMap(([before, after]) => Math.min(before[1], after[1])));
        for (const [size, above] of [
          [wouldDecide?.cases ?? null, parts.length],
          [wouldDecide?.trials ?? null, least],
        ] as const) {
          if (size === null) continue;
          expect(Number.isInteger(size)).toBe(true);
          expect(size).toBeGreaterThan(above);
          expect(size).toBeLessThanOrEqual(2_000 * Math.max(most, parts.length));
        }
      }),
      { numRuns: 100 },
    );
  });

  describe("simulated", () => {
    const repeats = draws({ brief: 30, full: 120 });

    /** How many of the comparisons that were advised to be larger give a verdict at the size advised. */
    function decidedShare(count: number, trials: number, before: number, after: number, by: "cases" | "trials") {
      const run = createTrialSource(3);
      const compare = (size: number, length: number) =>
        decide(
          Array.from({ length: size }, (_, index) => {
            const [baseline, candidate] = [run(before, length).passes, run(after, length).passes];
            return compared([baseline, length], [candidate, length], { caseId: String(index), cluster: String(index) });
          }),
        );
      let advised = 0;
      let decided = 0;
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const size = compare(count, trials).wouldDecide?.[by] ?? null;
        if (size === null) continue;
        advised += 1;
        const larger = by === "cases" ? compare(size, trials) : compare(count, size);
        if (larger.verdict !== "inconclusive") decided += 1;
      }
      return decided / advised;
    }

    it.each([
      [20, 1, 0.98, 0.98, "cases"],
      [20, 3, 0.9, 0.9, "trials"],
      [20, 5, 0.95, 0.95, "cases"],
      [50, 1, 0.9, 0.8, "trials"],
      [20, 1, 0.95, 0.9, "cases"],
    ] as const)("decides in most cases: %d cases × %d trials, %d → %d, more %s", (count, trials, before, after, by) => {
      expect(decidedShare(count, trials, before, after, by)).toBeGreaterThan(0.55);
    });
  });
});
