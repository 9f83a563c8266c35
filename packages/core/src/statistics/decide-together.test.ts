import { describe, expect, it } from "vitest";
import type { ComparedCase } from "./compared-case.js";
import { decideComparison, decideTogether, measureSuite, type ComparisonVerdict } from "./decide-comparison.js";

/** A case of single trials: 1 passed, 0 did not. */
function single(index: number, before: 0 | 1, after: 0 | 1, isDeterministic = false): ComparedCase {
  const [baseline, candidate] = [before, after].map((passes) => ({ passes, trials: 1, isPassed: passes === 1 }));
  if (baseline === undefined || candidate === undefined) return expect.unreachable("there are two sides");
  const caseId = `case ${index}`;
  return { caseId, cluster: caseId, isDeterministic, isCritical: false, baseline, candidate };
}

/** So many of ten cases fail now: p = 1 / 2 ** fallen. */
const suite = (fallen: number): ComparedCase[] =>
  Array.from({ length: 10 }, (_, index) => single(index, 1, index < fallen ? 0 : 1));
const withoutNoise = (isBroken: boolean): ComparedCase[] => [single(0, 1, isBroken ? 0 : 1, true)];

function together(...suites: readonly (readonly ComparedCase[])[]): readonly ComparisonVerdict[] {
  const measured = suites.map((cases) => measureSuite(cases, 1));
  return measured.map(decideTogether(measured, {}));
}

const shown = (verdicts: readonly ComparisonVerdict[]) =>
  verdicts.map(({ verdict, adjusted }) => [
    verdict,
    adjusted === undefined ? null : Number(adjusted.p.toPrecision(12)),
    adjusted?.suites ?? null,
  ]);

describe("suites of a run, decided together", () => {
  it("are no alarm each for what one of many shows by chance", () => {
    expect(shown(together(suite(5)))).toEqual([["regressed", 1 / 32, 1]]);
    expect(shown(together(suite(5), suite(0)))).toEqual([
      ["inconclusive", 2 / 32, 2],
      ["inconclusive", 1, 2],
    ]);
  });

  it("are tested step by step: an alarm that is sure makes room for the next", () => {
    expect(shown(together(suite(5), suite(0), suite(9)))).toEqual([
      ["inconclusive", 2 / 32, 3],
      ["inconclusive", 1, 3],
      ["regressed", 3 / 512, 3],
    ]);
    expect(shown(together(suite(5), suite(9)))).toEqual([
      ["regressed", 1 / 32, 2],
      ["regressed", 2 / 512, 2],
    ]);
  });

  it("are regressed outright without a test, which is none among those of the others", () => {
    const [broken, ...others] = together([...withoutNoise(true), ...suite(3)], suite(5), withoutNoise(false), []);
    expect(broken).toMatchObject({ verdict: "regressed", noisyCases: 10 });
    expect(broken).not.toHaveProperty("adjusted");
    expect(shown(others)).toEqual([
      ["regressed", 1 / 32, 1],
      ["ok", null, null],
      ["inconclusive", null, null],
    ]);
  });

  it("say what would decide by the level that they have left", () => {
    const sizeOf = (verdicts: readonly ComparisonVerdict[]) => verdicts[0]?.wouldDecide?.cases ?? 0;
    const alone = sizeOf(together(suite(4)));
    const among = together(suite(4), ...Array.from({ length: 9 }, () => suite(0)));
    expect(sizeOf(among)).toBeGreaterThan(alone);
    // The nine others are sure, so nothing is asked of this one beyond what is asked of it alone.
    expect(sizeOf(together(suite(4), ...Array.from({ length: 9 }, () => suite(10))))).toBe(alone);
    // As with a tenth of alpha, which is what the first of ten needs.
    expect(sizeOf(among)).toBe(decideComparison(suite(4), { seed: 1, alpha: 0.005 }).wouldDecide?.cases);
  });

  it("decide of one suite what it is by itself", () => {
    for (const fallen of [0, 3, 5, 8]) {
      const [verdict] = together(suite(fallen));
      expect(verdict).toEqual(decideComparison(suite(fallen), { seed: 1 }));
    }
  });
});
