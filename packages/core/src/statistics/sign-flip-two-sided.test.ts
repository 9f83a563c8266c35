import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../values/random.js";
import { signFlipTestsTwoSided } from "./__fixtures__/scipy-two-sided.js";
import { signFlipTwoSided } from "./sign-flip-test.js";

const never = (): number => {
  throw new Error("an exact test draws nothing");
};
const eighths = fc.array(
  fc.integer({ min: -8, max: 8 }).map((count) => count / 8),
  { maxLength: 10 },
);

describe("signFlipTwoSided", () => {
  it.each(signFlipTestsTwoSided)("%j: p = %d", (differences, p) => {
    expect(signFlipTwoSided(differences, never)).toBeCloseTo(p, 14);
  });

  it("is the share of all assignments of signs whose sum is as far from 0", () => {
    fc.assert(
      fc.property(eighths, (differences) => {
        let sums = [0];
        for (const size of differences) sums = sums.flatMap((sum) => [sum - size, sum + size]);
        const observed = Math.abs(differences.reduce((sum, size) => sum + size, 0));
        const asFar = sums.filter((sum) => Math.abs(sum) >= observed).length;
        expect(signFlipTwoSided(differences, never)).toBeCloseTo(asFar / sums.length, 12);
      }),
    );
  });

  it("is the same whichever way the difference is taken", () => {
    fc.assert(
      fc.property(eighths, (differences) => {
        const turned = differences.map((one) => -one);
        expect(signFlipTwoSided(turned, never)).toBe(signFlipTwoSided(differences, never));
      }),
    );
  });

  it("finds a difference among many clusters by draws", () => {
    const random = createRandom(7);
    const worse = Array.from({ length: 60 }, () => random() - 0.9);
    expect(signFlipTwoSided(worse, createRandom(1))).toBeLessThan(0.001);
    expect(signFlipTwoSided([...worse, ...worse.map((one) => -one)], createRandom(1))).toBe(1);
  });
});
