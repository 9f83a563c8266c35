import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../values/random.js";
import { decideSprt } from "./decide-sprt.js";

const limits = { good: 0.9, bad: 0.6, alpha: 0.05, beta: 0.1 };

describe("decideSprt", () => {
  // By Wald's formula: a pass adds ln(0.6 / 0.9) = −0.405, a failure ln(0.4 / 0.1) = 1.386; the bounds are −2.251 and 2.890.
  it.each([
    [0, 0, null],
    [5, 5, null],
    [6, 6, "passed"],
    [0, 2, null],
    [0, 3, "failed"],
    [3, 6, "failed"],
    [4, 7, null],
    [9, 10, "passed"],
    [8, 9, null],
  ])("%d of %d: %s", (passes, trials, verdict) => {
    expect(decideSprt({ passes, trials }, limits)).toBe(verdict);
  });

  it("fails at once what must never fail, and passes at once what must never pass", () => {
    expect(decideSprt({ passes: 3, trials: 4 }, { ...limits, good: 1 })).toBe("failed");
    expect(decideSprt({ passes: 5, trials: 5 }, { ...limits, good: 1 })).toBe("passed");
    expect(decideSprt({ passes: 1, trials: 9 }, { ...limits, bad: 0 })).toBe("passed");
  });

  it("never goes from failed to passed by a failure, nor back by a pass", () => {
    const rank = { failed: -1, undecided: 0, passed: 1 };
    const rankOf = (passes: number, trials: number): number =>
      rank[decideSprt({ passes, trials }, limits) ?? "undecided"];
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), (passes, failures) => {
        const trials = passes + failures;
        expect(rankOf(passes + 1, trials + 1)).toBeGreaterThanOrEqual(rankOf(passes, trials));
        expect(rankOf(passes, trials + 1)).toBeLessThanOrEqual(rankOf(passes, trials));
      }),
    );
  });

  it.each([
    ["a good case", 0.9, "failed", limits.alpha],
    ["a bad case", 0.6, "passed", limits.beta],
  ])("errs on %s no more often than agreed", (_name, rate, wrong, bound) => {
    const random = createRandom(11);
    const repeats = 2_000;
    let errors = 0;
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      let verdict: string | null = null;
      for (let passes = 0, trials = 0; verdict === null;) {
        trials += 1;
        if (random() < rate) passes += 1;
        verdict = decideSprt({ passes, trials }, limits);
      }
      if (verdict === wrong) errors += 1;
    }
    expect(errors).toBeGreaterThan(0);
    // Wald's bounds hold for alpha ÷ (1 − beta) and beta ÷ (1 − alpha) each.
    expect(errors / repeats).toBeLessThan(bound / 0.9 + 4 * Math.sqrt((bound * (1 - bound)) / repeats));
  });
});
