import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cohensKappa } from "./cohens-kappa.js";

const repeat = <T>(count: number, pair: readonly [T, T]) => Array<readonly [T, T]>(count).fill(pair);
const table = (both: number, first: number, second: number, none: number): (readonly [boolean, boolean])[] => [
  ...repeat(both, [true, true]),
  ...repeat(first, [true, false]),
  ...repeat(second, [false, true]),
  ...repeat(none, [false, false]),
];

describe("cohensKappa", () => {
  it.each([
    // By hand: observed 35/50, expected 25/50 · 30/50 + 25/50 · 20/50 = 1/2.
    [table(20, 5, 10, 15), 0.7, 0.5, 0.4],
    // By hand: observed 60/100; expected 60/100 · 70/100 + 40/100 · 30/100 = 0.54.
    [table(45, 15, 25, 15), 0.6, 0.54, 3 / 23],
    [table(5, 0, 0, 7), 1, (25 + 49) / 144, 1],
    [table(0, 5, 5, 0), 0, 0.5, -1],
  ])("%#", (pairs, observed, expected, kappa) => {
    const agreement = cohensKappa(pairs);
    expect(agreement?.items).toBe(pairs.length);
    expect(agreement?.observed).toBeCloseTo(observed, 14);
    expect(agreement?.expected).toBeCloseTo(expected, 14);
    expect(agreement?.kappa).toBeCloseTo(kappa, 14);
  });

  it("takes any number of categories", () => {
    // By hand: observed 4/5, expected 2/5 · 3/5 + 1/5 · 1/5 + 2/5 · 1/5 = 9/25.
    const pairs = [
      ["negative", "negative"],
      ["positive", "positive"],
      ["negative", "negative"],
      ["neutral", "neutral"],
      ["positive", "negative"],
    ] as const;
    expect(cohensKappa<string>(pairs)?.kappa).toBeCloseTo(0.6875, 14);
  });

  it("is undefined where chance alone would agree always", () => {
    expect(cohensKappa(table(9, 0, 0, 0))).toEqual({ items: 9, observed: 1, expected: 1, kappa: null });
    expect(cohensKappa([])).toBeNull();
  });

  it("does not depend on who is first, is at most 1, and is 1 for full agreement alone", () => {
    const category = fc.constantFrom("a", "b", "c");
    fc.assert(
      fc.property(fc.array(fc.tuple(category, category), { minLength: 1, maxLength: 40 }), (pairs) => {
        const agreement = cohensKappa(pairs);
        const exchanged = cohensKappa(pairs.map(([one, other]) => [other, one] as const));
        expect(exchanged?.kappa ?? 2).toBeCloseTo(agreement?.kappa ?? 2, 12);
        expect(agreement?.kappa ?? 1).toBeLessThanOrEqual(1);
        expect((agreement?.kappa ?? 1) === 1).toBe(agreement?.observed === 1);
      }),
    );
  });
});
