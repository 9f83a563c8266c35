import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { createTrialSource } from "./__fixtures__/random-trials.js";
import { tangoIntervals } from "./__fixtures__/scipy-reference.js";
import { differencesByCluster, pairedDifference, type PairedCase } from "./paired-difference.js";
import { tInterval } from "./__fixtures__/t-interval.js";

const z = 1.959963984540054;

/** Pairs of single trials, each a cluster of its own. */
function pairs(worsened: number, improved: number, same: number): PairedCase[] {
  const outcomes = [
    ...Array.from({ length: worsened }, () => [1, 0] as const),
    ...Array.from({ length: improved }, () => [0, 1] as const),
    ...Array.from({ length: same }, () => [1, 1] as const),
  ];
  return outcomes.map(([before, after], index) => ({
    cluster: String(index),
    baseline: { passes: before, trials: 1 },
    candidate: { passes: after, trials: 1 },
  }));
}

function intervalOf(cases: readonly PairedCase[]): readonly [number, number] {
  return pairedDifference(cases)?.interval ?? [Number.NaN, Number.NaN];
}

const counts = fc
  .tuple(fc.nat(6), fc.nat(6))
  .filter(([passes, failures]) => passes + failures > 0)
  .map(([passes, failures]) => ({ passes, trials: passes + failures }));
const pairedCase = fc.record({ cluster: fc.constantFrom("a", "b", "c", "d"), baseline: counts, candidate: counts });
const someCases = fc.array(pairedCase, { minLength: 1, maxLength: 25 });

describe("pairedDifference", () => {
  it("takes the mean over cases, not over trials, and the sums by cluster", () => {
    const cases = [
      { cluster: "a", baseline: { passes: 4, trials: 4 }, candidate: { passes: 1, trials: 2 } },
      { cluster: "b", baseline: { passes: 0, trials: 1 }, candidate: { passes: 90, trials: 100 } },
      { cluster: "a", baseline: { passes: 1, trials: 2 }, candidate: { passes: 1, trials: 4 } },
    ];
    const difference = pairedDifference(cases);
    expect(difference).toMatchObject({ cases: 3, clusters: 2 });
    expect(difference?.mean).toBeCloseTo((-0.5 + 0.9 - 0.25) / 3, 14);
    expect(differencesByCluster(cases)).toEqual([-0.75, 0.9]);
  });

  it("is null without cases", () => {
    expect(pairedDifference([])).toBeNull();
  });

  it("has an interval within [−1, 1] that holds the mean and is never of zero width", () => {
    fc.assert(
      fc.property(someCases, (cases) => {
        const [low, high] = intervalOf(cases);
        const mean = pairedDifference(cases)?.mean ?? Number.NaN;
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(mean + 1e-12);
        expect(high).toBeGreaterThanOrEqual(mean - 1e-12);
        expect(high - low).toBeGreaterThan(0.01);
      }),
    );
  });

  it("mirrors when baseline and run change places", () => {
    fc.assert(
      fc.property(someCases, (cases) => {
        const [low, high] = intervalOf(cases);
        const exchanged = cases.map((one) => ({ ...one, baseline: one.candidate, candidate: one.baseline }));
        const [mirroredLow, mirroredHigh] = intervalOf(exchanged);
        expect(-mirroredHigh).toBeCloseTo(low, 12);
        expect(-mirroredLow).toBeCloseTo(high, 12);
      }),
    );
  });
});

describe("the interval of single trials", () => {
  it.each([1, 5, 20, 74, 1_000])("is the score interval where %d pairs do not differ", (count) => {
    const half = (z * z) / (count + z * z);
    const [low, high] = intervalOf(pairs(0, 0, count));
    expect(low).toBeCloseTo(-half, 12);
    expect(high).toBeCloseTo(half, 12);
  });

  it.each(tangoIntervals)(
    "of %d pairs, %d worse and %d better, is within about a pair of Tango's",
    (count, worse, better, low, high) => {
      const found = intervalOf(pairs(worse, better, count - worse - better));
      expect(Math.abs(found[0] - low)).toBeLessThan(1.2 / count);
      expect(Math.abs(found[1] - high)).toBeLessThan(1.2 / count);
    },
  );

  // Exact: every outcome of the pairs with its probability.
  it.each([
    [10, 0.05, 0],
    [20, 0.05, 0],
    [20, 0.2, 0.1],
    [54, 0.05, 0],
    [54, 0.08, 0.03],
    [80, 0.05, 0],
    [80, 0.1, 0.1],
  ])("covers with %d pairs that get worse at %d and better at %d", (count, worse, better) => {
    let misses = 0;
    for (let worsened = 0; worsened <= count; worsened += 1) {
      for (let improved = 0; improved <= (better === 0 ? 0 : count - worsened); improved += 1) {
        const same = count - worsened - improved;
        const probability = multinomial([worsened, worse], [improved, better], [same, 1 - worse - better]);
        if (probability < 1e-9) continue;
        const [low, high] = intervalOf(pairs(worsened, improved, same));
        if (low > better - worse + 1e-9 || high < better - worse - 1e-9) misses += probability;
      }
    }
    expect(misses).toBeLessThan(0.05);
  });
});

describe("the interval of several trials", () => {
  const repeats = draws({ brief: 300, full: 1_500 });
  // What is missed may exceed 5% by chance alone: four standard errors of the simulation.
  const bound = 0.05 + 4 * Math.sqrt((0.05 * 0.95) / repeats);

  /** How often the interval misses the true difference, and how often that of Student's t does. */
  function missesOf(before: readonly number[], after: readonly number[], trials: number, size: number) {
    const run = createTrialSource(1);
    const truth = after.reduce((sum, rate, index) => sum + rate - (before[index] ?? 0), 0) / before.length;
    const missed = { ours: 0, students: 0 };
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const cases = before.flatMap((rate, index) => {
        const outcome = { baseline: run(rate, trials), candidate: run(after[index] ?? 0, trials) };
        return Array.from({ length: size }, () => ({ cluster: String(index), ...outcome }));
      });
      const difference = pairedDifference(cases);
      if (difference === null) continue;
      const misses = ([low, high]: readonly [number, number]): boolean => low > truth + 1e-9 || high < truth - 1e-9;
      if (misses(difference.interval)) missed.ours += 1;
      if (misses(tInterval(difference) ?? [-1, 1])) missed.students += 1;
    }
    return { ours: missed.ours / repeats, students: missed.students / repeats };
  }

  const rates = (...parts: [count: number, rate: number][]): number[] =>
    parts.flatMap(([count, rate]) => Array<number>(count).fill(rate));

  it.each([
    ["all drop a little", rates([20, 1]), rates([20, 0.95]), 3, 1],
    ["all drop a little, more trials", rates([50, 1]), rates([50, 0.95]), 5, 1],
    ["a fifth drops", rates([20, 1]), rates([16, 1], [4, 0.75]), 5, 1],
    ["none drops", rates([20, 0.95]), rates([20, 0.95]), 5, 1],
    ["coins", rates([10, 0.5]), rates([10, 0.5]), 3, 1],
    ["two cases", rates([2, 0.9]), rates([2, 0.85]), 20, 1],
    ["one case", rates([1, 0.9]), rates([1, 0.85]), 50, 1],
    ["clusters of three that move as one", rates([20, 0.95]), rates([20, 0.9]), 3, 3],
  ])("covers: %s", (_name, before, after, trials, size) => {
    expect(missesOf(before, after, trials, size).ours).toBeLessThan(bound);
  });

  it("is needed: that of Student's t misses much more where nearly all trials pass", () => {
    expect(missesOf(rates([10, 1]), rates([10, 0.95]), 3, 1).students).toBeGreaterThan(0.15);
  });

  it("shrinks with trials and with cases, and grows with clusters", () => {
    const same = (count: number, trials: number, clusters: number): number => {
      const all = { passes: trials, trials };
      const cases = Array.from({ length: count }, (_, index) => ({
        cluster: String(index % clusters),
        baseline: all,
        candidate: all,
      }));
      return intervalOf(cases)[1];
    };
    expect(same(20, 5, 20)).toBeCloseTo((z * z) / (100 + z * z), 12);
    expect(same(20, 5, 10)).toBeCloseTo((z * z) / (50 + z * z), 12);
    expect(same(1, 50, 1)).toBeCloseTo((z * z) / (50 + z * z), 12);
  });
});

/** The probability of these counts: the multinomial distribution, by logarithms. */
function multinomial(...parts: [count: number, probability: number][]): number {
  const total = parts.reduce((sum, [count]) => sum + count, 0);
  const logFactorial = (count: number): number => {
    let sum = 0;
    for (let factor = 2; factor <= count; factor += 1) sum += Math.log(factor);
    return sum;
  };
  let log = logFactorial(total);
  for (const [count, probability] of parts) if (count > 0) log += count * Math.log(probability) - logFactorial(count);
  return Math.exp(log);
}
