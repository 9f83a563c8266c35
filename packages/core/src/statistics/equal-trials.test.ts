import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CaseCounts } from "./case-counts.js";
import { equalTrials } from "./equal-trials.js";

const pair = (baseline: CaseCounts, candidate: CaseCounts) => ({ caseId: "a", cluster: "a", baseline, candidate });
const counts = fc
  .tuple(fc.nat(9), fc.nat(9))
  .filter(([passes, failures]) => passes + failures > 0)
  .map(([passes, failures]) => ({ passes, trials: passes + failures }));

describe("equalTrials", () => {
  it("leaves out trials of the side that has more, and none of the other", () => {
    fc.assert(
      fc.property(counts, counts, fc.integer(), (baseline, candidate, seed) => {
        const equal = equalTrials(pair(baseline, candidate), seed);
        const trials = Math.min(baseline.trials, candidate.trials);
        for (const side of ["baseline", "candidate"] as const) {
          const before = pair(baseline, candidate)[side];
          const leftOut = before.trials - trials;
          expect(equal[side].trials).toBe(trials);
          expect(before.passes - equal[side].passes).toBeGreaterThanOrEqual(0);
          expect(before.passes - equal[side].passes).toBeLessThanOrEqual(leftOut);
          expect(equal[side].passes).toBeLessThanOrEqual(trials);
        }
        expect(equalTrials(pair(baseline, candidate), seed)).toEqual(equal);
      }),
    );
  });

  it("leaves each trial out as often as any other", () => {
    const repeats = 6_000;
    const seen = [0, 0, 0];
    for (let seed = 0; seed < repeats; seed += 1) {
      const { passes } = equalTrials(pair({ passes: 0, trials: 2 }, { passes: 3, trials: 5 }), seed).candidate;
      seen[passes] = (seen[passes] ?? 0) + 1 / repeats;
    }
    // Two of five, of which three passed: the hypergeometric distribution.
    [0.1, 0.6, 0.3].forEach((share, passes) =>
      expect(Math.abs((seen[passes] ?? 0) - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / repeats)),
    );
  });
});
