import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { drawCases, same, type Design } from "./__fixtures__/drawn-runs.js";
import { createTrialSource } from "./__fixtures__/random-trials.js";
import { decideComparison } from "./decide-comparison.js";

const repeats = draws({ brief: 140, full: 2_000 });

/** How often the run is called so. */
function shareOf(wanted: string, design: Design, margin: number, times: number): number {
  const run = createTrialSource(20);
  let seen = 0;
  for (let repeat = 0; repeat < times; repeat += 1) {
    if (decideComparison(drawCases(run, design), { seed: repeat, margin }).verdict === wanted) seen += 1;
  }
  return seen / times;
}

/** A margin of 1 leaves no room for *inconclusive*, which takes longer. */
const regressedShare = (design: Design): number => shareOf("regressed", design, 1, repeats);

describe("the error rates of a comparison", () => {
  // By chance alone, a rule of exactly alpha is above this once in 200,000 times.
  const bound = 0.05 + 4.4 * Math.sqrt((0.05 * 0.95) / repeats);

  it.each([
    ["ten single trials", { rates: same(10, 0.7), trials: 1 }],
    ["twenty single trials", { rates: same(20, 0.9), trials: 1 }],
    ["forty coins", { rates: same(40, 0.5), trials: 1 }],
    ["three to six trials", { rates: same(14, 0.7), trials: 3, unlike: 3 }],
    ["five trials each", { rates: same(16, 0.9), trials: 5 }],
    ["cases that nearly always or seldom pass", { rates: [...same(14, 0.97), ...same(4, 0.3)], trials: 5 }],
    ["four cases that come out alike", { rates: same(14, 0.7), trials: 1, alike: 4 }],
    ["single trials in the baseline, five in the run", { rates: same(16, 0.9), before: 1, trials: 5 }],
    ["five trials in the baseline, single ones in the run", { rates: same(16, 0.1), before: 5, trials: 1 }],
  ] as const)("are at most alpha where nothing changed: %s", (_name, design) => {
    expect(regressedShare(design)).toBeLessThan(bound);
  });

  it("are not far below alpha where the trials are many", () => {
    const design = { rates: same(14, 0.7), trials: 3, unlike: 3 };
    // With fewer draws, a rule that is far too strict could not be distinguished from chance.
    expect(shareOf("regressed", design, 1, Math.max(repeats, 1_000))).toBeGreaterThan(0.03);
  });

  it.each([
    ["a small drop is seldom found", { rates: same(20, 0.9), trials: 1, drop: 0.1 }, 0.03, 0.15],
    ["more cases find it", { rates: same(40, 0.9), trials: 1, drop: 0.2 }, 0.5, 0.72],
    ["a large drop is nearly always found", { rates: same(18, 0.9), trials: 5, drop: 0.3 }, 0.99, 1],
  ] as const)("%s", (_name, design, low, high) => {
    const share = regressedShare(design);
    expect(share).toBeGreaterThanOrEqual(low);
    expect(share).toBeLessThanOrEqual(high);
  });

  it.each([
    ["five trials in the baseline, single ones in the run", { rates: same(80, 1), before: 5, trials: 1, drop: 0.05 }],
    ["single trials in the baseline, five in the run", { rates: same(80, 0.95), before: 1, trials: 5, drop: 0.05 }],
  ] as const)("are at most 2.5% where a drop of the margin is called ok: %s", (_name, design) => {
    const times = draws({ brief: 70, full: 500 });
    expect(shareOf("ok", design, 0.05, times)).toBeLessThan(0.025 + 4.4 * Math.sqrt((0.025 * 0.975) / times));
  });
});
