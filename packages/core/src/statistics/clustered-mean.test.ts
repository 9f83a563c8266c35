import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clusteredMeans } from "./__fixtures__/scipy-reference.js";
import { clusteredMean, sumByCluster } from "./clustered-mean.js";
import { tInterval } from "./__fixtures__/t-interval.js";

function clustered(values: readonly number[], letters: string): { value: number; cluster: string }[] {
  return values.map((value, index) => ({ value, cluster: letters.charAt(index) }));
}

const value = fc.integer({ min: -100, max: 100 }).map((hundredths) => hundredths / 100);

describe("clusteredMean", () => {
  it.each(clusteredMeans)("%j in clusters %s", (values, letters, mean, error, low, high) => {
    const found = clusteredMean(clustered(values, letters));
    expect(found?.mean).toBeCloseTo(mean, 14);
    expect(found?.standardError).toBeCloseTo(error, 14);
    const interval = found === null ? null : tInterval(found);
    expect(interval?.[0]).toBeCloseTo(low, 12);
    expect(interval?.[1]).toBeCloseTo(high, 12);
  });

  it("is the ordinary standard error where each case is a cluster of its own", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 30 }), (values) => {
        const found = clusteredMean(values.map((one, index) => ({ value: one, cluster: String(index) })));
        const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
        const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
        expect(found?.mean).toBeCloseTo(mean, 12);
        expect(found?.standardError).toBeCloseTo(Math.sqrt(squares / (values.length - 1) / values.length), 12);
      }),
    );
  });

  it("learns nothing from copies of a case within its cluster", () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 2, max: 5 }),
        (values, copies) => {
          const once = values.map((one, index) => ({ value: one, cluster: String(index) }));
          const often = Array.from({ length: copies }, () => once).flat();
          expect(clusteredMean(often)?.standardError).toBeCloseTo(clusteredMean(once)?.standardError ?? Number.NaN, 12);
        },
      ),
    );
  });

  it("has no error for one cluster, and no mean without values", () => {
    const one = clusteredMean(clustered([0.2, 0.4], "aa"));
    expect(one).toMatchObject({ standardError: null, clusters: 1 });
    expect(one?.mean).toBeCloseTo(0.3, 14);
    expect(one === null ? "no mean" : tInterval(one)).toBeNull();
    expect(clusteredMean([])).toBeNull();
  });
});

describe("tInterval", () => {
  it("takes the confidence that is asked for", () => {
    // SciPy: t.interval(0.9, 3, 0.5, 0.1).
    const [low, high] = tInterval({ mean: 0.5, standardError: 0.1, clusters: 4 }, 0.9) ?? [];
    expect(low).toBeCloseTo(0.264_663_656_519_817_5, 12);
    expect(high).toBeCloseTo(0.735_336_343_480_182_5, 12);
  });
});

describe("sumByCluster", () => {
  it("sums in the order in which clusters appear", () => {
    expect(sumByCluster(clustered([1, 2, 4, 8], "baba"))).toEqual([5, 10]);
    expect(sumByCluster([])).toEqual([]);
  });
});
