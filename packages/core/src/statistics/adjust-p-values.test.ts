import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holmAdjustments } from "./__fixtures__/holm-reference.js";
import { holm } from "./adjust-p-values.js";
import { isSignificant } from "./is-significant.js";

const rejectedBy = (adjusted: readonly number[], alpha: number): readonly number[] =>
  adjusted.flatMap((p, index) => (isSignificant(p, alpha) ? [index] : []));

describe("holm", () => {
  it.each(holmAdjustments)("%j → %j", (pValues, adjusted, rejected) => {
    const found = holm(pValues);
    expect(found).toHaveLength(adjusted.length);
    found.forEach((p, index) => expect(p).toBeCloseTo(adjusted[index] ?? Number.NaN, 14));
    expect(rejectedBy(found, 0.05)).toEqual(rejected);
  });

  it("rejects what the step-down procedure rejects", () => {
    const pValue = fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000);
    fc.assert(
      fc.property(fc.array(pValue, { maxLength: 20 }), fc.constantFrom(0.01, 0.05, 0.2), (pValues, alpha) => {
        const order = pValues.map((p, index) => ({ p, index })).toSorted((a, b) => a.p - b.p);
        const first = order.findIndex(({ p }, rank) => !isSignificant(p, alpha / (pValues.length - rank)));
        const rejected = order.slice(0, first < 0 ? order.length : first).map(({ index }) => index);
        expect(rejectedBy(holm(pValues), alpha)).toEqual(rejected.toSorted((a, b) => a - b));
      }),
    );
  });

  it("leaves one p-value as it is, and has nothing to adjust without any", () => {
    expect(holm([0.049])).toEqual([0.049]);
    expect(holm([])).toEqual([]);
  });
});
