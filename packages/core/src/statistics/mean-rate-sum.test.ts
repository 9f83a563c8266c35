import fc from "fast-check";
import { expect, it } from "vitest";
import { meanRate } from "./mean-rate.js";
import { createMeanRateSum } from "./mean-rate-sum.js";

const one = fc
  .nat(5)
  .chain((trials) => fc.record({ trials: fc.constant(trials), passes: fc.nat(trials), cluster: fc.nat(6) }));

it("is the mean rate of the same cases", () => {
  fc.assert(
    fc.property(fc.array(one, { maxLength: 15 }), (cases) => {
      const sum = createMeanRateSum(7);
      for (const { passes, trials, cluster } of cases) sum.add(passes, trials, cluster);
      const found = sum.finish();
      const expected = meanRate(cases.map((each) => ({ ...each, cluster: String(each.cluster) })));
      if (expected === null || found === null) {
        expect(found).toBe(expected);
        return;
      }
      expect([found.cases, found.clusters]).toEqual([expected.cases, expected.clusters]);
      expect(found.mean).toBeCloseTo(expected.mean, 12);
      expect(found.standardError ?? -1).toBeCloseTo(expected.standardError ?? -1, 7);
      expect(found.interval[0]).toBeCloseTo(expected.interval[0], 9);
      expect(found.interval[1]).toBeCloseTo(expected.interval[1], 9);
    }),
  );
});
