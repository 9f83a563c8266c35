import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cohensKappa } from "./cohens-kappa.js";
import { kappaInterval, kappaStandardError } from "./kappa-interval.js";

describe("kappaStandardError", () => {
  it("is that of the two pathologists of Agresti, Categorical Data Analysis (2002), section 10.5.3", () => {
    const table = [
      [22, 2, 2, 0],
      [5, 7, 14, 0],
      [0, 2, 36, 0],
      [0, 1, 17, 10],
    ];
    expect(kappaStandardError(table)).toBeCloseTo(0.057, 3);
  });

  it("is null where there is nothing to agree on", () => {
    expect(
      kappaStandardError([
        [5, 0],
        [0, 0],
      ]),
    ).toBeNull();
    expect(
      kappaStandardError([
        [0, 0],
        [0, 0],
      ]),
    ).toBeNull();
  });
});

describe("kappaInterval", () => {
  const pairs = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 60 });

  it("holds kappa, has a width, and lies within its bounds", () => {
    fc.assert(
      fc.property(pairs, (rated) => {
        const kappa = cohensKappa(rated)?.kappa ?? null;
        const interval = kappaInterval(rated);
        expect(interval === null).toBe(kappa === null);
        if (kappa === null || interval === null) return;
        const [low, high] = interval;
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(low).toBeLessThanOrEqual(kappa);
        expect(kappa).toBeLessThanOrEqual(high);
        expect(high).toBeLessThanOrEqual(1);
        expect(high - low).toBeGreaterThan(0.01);
      }),
    );
  });

  it("is wide for few items, although all agree", () => {
    const few = kappaInterval([
      [true, true],
      [false, false],
      [true, true],
    ]);
    const many = kappaInterval(Array.from({ length: 300 }, (_, index) => [index % 2 === 0, index % 2 === 0] as const));
    expect(few?.[1]).toBe(1);
    expect(few?.[0]).toBeLessThan(0.2);
    expect(many?.[0]).toBeGreaterThan(0.95);
  });
});
