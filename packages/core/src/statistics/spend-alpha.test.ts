import { describe, expect, it } from "vitest";
import { fixedTrialsOf, looksBetween, shareOfLook, trialsAtLook } from "./spend-alpha.js";

describe("looks", () => {
  it.each([
    [5, 5, [5]],
    [2, 3, [2, 3]],
    [5, 20, [5, 10, 20]],
    [3, 10, [3, 5, 10]],
    [1, 10_000, [1, 10, 100, 1000, 10_000]],
  ])("go from %i to %i trials in even ratios", (min, max, trials) => {
    const looks = looksBetween(min, max);
    expect(trials.map((_, index) => trialsAtLook({ min, max }, index + 1, looks))).toEqual(trials);
    expect(looks).toBe(trials.length);
  });
});

describe("shareOfLook", () => {
  it("spends the whole level over all looks, and most of it on the last", () => {
    const trials = [5, 10, 20];
    const shares = trials.map((_, index) => shareOfLook({ trials, reached: index + 1 }));
    expect(shares.map((share) => share.toFixed(3))).toEqual(["0.125", "0.229", "0.646"]);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  });
});

describe("fixedTrialsOf", () => {
  it("is all trials of the only look, and fewer than those of the last of several", () => {
    expect(fixedTrialsOf({ trials: [20], reached: 1 }, 0.05)).toBe(20);
    expect(fixedTrialsOf({ trials: [100, 200, 400], reached: 1 }, 0.05)).toBe(342);
  });
});
