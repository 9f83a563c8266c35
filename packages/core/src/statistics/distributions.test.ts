import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalCdfs, normalQuantiles, studentTQuantiles, studentTTails } from "./__fixtures__/scipy-reference.js";
import { normalCdf, normalQuantile } from "./normal-distribution.js";
import { studentTQuantile, studentTTail } from "./measured-mean.js";

describe("normalCdf", () => {
  it.each(normalCdfs)("at %d is %d", (x, probability) => {
    expect(normalCdf(x)).toBeCloseTo(probability, 14);
  });

  it("is 0 and 1 far out", () => {
    expect([normalCdf(-40), normalCdf(40)]).toEqual([0, 1]);
  });
});

describe("normalQuantile", () => {
  it.each(normalQuantiles)("of %d is %d", (probability, x) => {
    expect(normalQuantile(probability)).toBeCloseTo(x, 11);
  });

  it("undoes normalCdf", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true }), (probability) => {
        expect(normalCdf(normalQuantile(probability))).toBeCloseTo(probability, 13);
      }),
    );
  });

  it("has no bounds at 0 and 1", () => {
    expect([normalQuantile(0), normalQuantile(1)]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
  });
});

describe("studentTQuantile", () => {
  it.each(studentTQuantiles)("at %d with %d degrees of freedom is %d", (confidence, degrees, t) => {
    expect(studentTQuantile(confidence, degrees) / t).toBeCloseTo(1, 10);
  });

  it("falls towards the normal quantile with every degree of freedom", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_200 }), (degrees) => {
        expect(studentTQuantile(0.95, degrees + 1)).toBeLessThan(studentTQuantile(0.95, degrees));
        expect(studentTQuantile(0.95, degrees)).toBeGreaterThan(normalQuantile(0.975));
      }),
    );
  });
});

describe("studentTTail", () => {
  it.each(studentTTails)("of %d with %d degrees of freedom is %d", (t, degrees, probability) => {
    expect(studentTTail(t, degrees) / probability).toBeCloseTo(1, degrees < 200 ? 10 : 4);
  });
});
