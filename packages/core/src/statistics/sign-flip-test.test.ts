import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../values/random.js";
import { signFlipTests } from "./__fixtures__/scipy-reference.js";
import { mcnemarExact } from "./exact-tests.js";
import { signFlipTest } from "./sign-flip-test.js";

const never = (): number => {
  throw new Error("an exact test draws nothing");
};
const noise = (length: number, seed: number): number[] => {
  const random = createRandom(seed);
  return Array.from({ length }, () => random() - 0.5);
};
const fifths = fc.integer({ min: -5, max: 5 }).map((count) => count / 5);

/** The share of all assignments of signs to whole numbers that give so low a sum, by way of how often each sum occurs. */
function exactShare(counts: readonly number[]): number {
  let shares = new Map([[0, 1]]);
  for (const count of counts) {
    const next = new Map<number, number>();
    for (const [sum, share] of shares) {
      for (const flipped of [sum - count, sum + count]) next.set(flipped, (next.get(flipped) ?? 0) + share / 2);
    }
    shares = next;
  }
  const observed = counts.reduce((sum, count) => sum + count, 0);
  return [...shares].reduce((total, [sum, share]) => (sum <= observed ? total + share : total), 0);
}

describe("signFlipTest", () => {
  it.each(signFlipTests)("%j: p = %d", (differences, p) => {
    expect(signFlipTest(differences, never)).toBeCloseTo(p, 14);
  });

  it("is McNemar's exact test with one trial per case, for any number of cases", () => {
    fc.assert(
      fc.property(fc.nat(150), fc.nat(150), fc.nat(20), (worsened, improved, same) => {
        const differences = [
          ...Array(worsened).fill(-1),
          ...Array(same).fill(0),
          ...Array(improved).fill(1),
        ] as number[];
        expect(signFlipTest(differences, never)).toBe(mcnemarExact(worsened, improved));
      }),
    );
  });

  it("is the share of all assignments of signs", () => {
    fc.assert(
      fc.property(fc.array(fifths, { maxLength: 9 }), (differences) => {
        let sums = [0];
        for (const size of differences) sums = sums.flatMap((sum) => [sum - size, sum + size]);
        const observed = differences.reduce((sum, size) => sum + size, 0);
        const asLow = sums.filter((sum) => sum <= observed + 1e-9).length;
        expect(signFlipTest(differences, never)).toBeCloseTo(asLow / sums.length, 12);
      }),
    );
  });

  it("does not mind the order, the scale, or clusters that did not change", () => {
    fc.assert(
      fc.property(fc.array(fifths, { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), (differences, scale) => {
        const p = signFlipTest(differences, never);
        const others = [0, ...differences.map((size) => size / scale), 0].toReversed();
        expect(signFlipTest(others, never)).toBeCloseTo(p, 12);
      }),
    );
  });

  it("looks at every assignment up to 20 clusters and draws beyond", () => {
    expect(signFlipTest([...noise(20, 1), 0, 0], never)).toBeGreaterThan(0);
    expect(() => signFlipTest(noise(21, 1), never)).toThrow("draws nothing");
  });

  it("repeats itself with an equal seed and comes close to the exact p", () => {
    const random = createRandom(4);
    const counts = Array.from({ length: 40 }, () => Math.floor(random() * 9) - 5);
    const differences = counts.map((count) => count / 5);
    const exact = exactShare(counts);
    expect(exact).toBeGreaterThan(0.01);
    expect(exact).toBeLessThan(0.2);
    const p = signFlipTest(differences, createRandom(5));
    expect(signFlipTest(differences, createRandom(5))).toBe(p);
    expect(Math.abs(p - exact)).toBeLessThan(4 * Math.sqrt((exact * (1 - exact)) / 10_000));
  });

  it("never says that chance is impossible", () => {
    const allWorse = noise(400, 2).map((size) => -Math.abs(size) - 0.01);
    expect(signFlipTest(allWorse, createRandom(1))).toBe(1 / 10_001);
  });

  it("says nothing where nothing changed", () => {
    expect(signFlipTest([], never)).toBe(1);
    expect(signFlipTest([0, 0, 1 / 3 + 1 / 3 - 2 / 3], never)).toBe(1);
  });
});
