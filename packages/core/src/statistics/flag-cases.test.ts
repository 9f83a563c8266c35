import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ComparedCase } from "./compared-case.js";
import { fisherExact } from "./exact-tests.js";
import { flagCases } from "./flag-cases.js";

function compared(caseId: string, before: [number, number], after: [number, number], more: Partial<ComparedCase> = {}) {
  const [baseline, candidate] = [before, after].map(([passes, trials]) => ({
    passes,
    trials,
    isPassed: trials > 0 && passes === trials,
  })) as [ComparedCase["baseline"], ComparedCase["candidate"]];
  return { caseId, cluster: caseId, isDeterministic: false, isCritical: false, baseline, candidate, ...more };
}

const changes = (cases: readonly ComparedCase[]) => flagCases(cases).map(({ caseId, change }) => `${caseId} ${change}`);
const steady = (count: number) => Array.from({ length: count }, (_, index) => compared(`same${index}`, [5, 5], [5, 5]));

describe("flagCases", () => {
  it("flags what got worse or better, in the order of the cases", () => {
    const cases = [compared("a", [5, 5], [0, 5]), compared("b", [5, 5], [4, 5]), compared("c", [0, 5], [5, 5])];
    expect(changes(cases)).toEqual(["a worse", "b none", "c better"]);
    expect(flagCases(cases)[0]?.p?.worse).toBeCloseTo(1 / 252, 14);
    expect(flagCases(cases)[1]?.p).toEqual({
      worse: fisherExact({ passes: 5, trials: 5 }, { passes: 4, trials: 5 }),
      better: 1,
    });
  });

  it("asks for more the more cases there are", () => {
    // p is 1/20: alone it is flagged at 0.10, among three at 0.05 · 3 it is not.
    const lost = compared("a", [3, 3], [0, 3]);
    expect(changes([lost])).toEqual(["a worse"]);
    expect(changes([lost, ...steady(1)])[0]).toBe("a worse");
    expect(changes([lost, ...steady(2)])[0]).toBe("a none");
    // Several that got worse together need less each.
    expect(changes([lost, { ...lost, caseId: "b" }, ...steady(2)]).slice(0, 2)).toEqual(["a worse", "b worse"]);
  });

  it("tests a critical case by itself", () => {
    const lost = compared("a", [3, 3], [0, 3], { isCritical: true });
    expect(changes([lost, ...steady(50)])[0]).toBe("a worse");
    expect(flagCases([lost], { alpha: 0.01 })[0]).toMatchObject({ change: "none", isCritical: true });
  });

  it("does not count critical cases among the others", () => {
    const critical = steady(9).map((one) => ({ ...one, isCritical: true }));
    expect(changes([compared("a", [3, 3], [0, 3]), ...critical])[0]).toBe("a worse");
  });

  it("flags nothing on a single trial, whatever the number of cases", () => {
    const cases = Array.from({ length: 40 }, (_, index) => compared(String(index), [1, 1], [0, 1]));
    expect(new Set(flagCases(cases).map(({ change }) => change))).toEqual(new Set(["none"]));
  });

  it("takes a case without noise at its word", () => {
    const exact = { isDeterministic: true };
    const cases = [
      compared("lost", [1, 1], [0, 1], exact),
      compared("won", [0, 1], [1, 1], exact),
      compared("same", [1, 1], [1, 1], exact),
      compared("still failed", [1, 2], [0, 2], exact),
    ];
    expect(changes(cases)).toEqual(["lost worse", "won better", "same none", "still failed none"]);
    expect(flagCases(cases).map(({ p }) => p)).toEqual([null, null, null, null]);
  });

  it("leaves out what has no trial on one side", () => {
    expect(flagCases([compared("a", [5, 5], [0, 0]), compared("b", [0, 0], [5, 5])])).toEqual([]);
  });

  it("never flags both ways, and mirrors when the sides change places", () => {
    const counts = fc
      .tuple(fc.nat(8), fc.integer({ min: 1, max: 8 }))
      .map(([passes, trials]): [number, number] => [Math.min(passes, trials), trials]);
    const mirrored = { worse: "better", better: "worse", none: "none" } as const;
    fc.assert(
      fc.property(fc.array(fc.tuple(counts, counts), { maxLength: 20 }), (pairs) => {
        const there = flagCases(pairs.map(([before, after], index) => compared(String(index), before, after)));
        const back = flagCases(pairs.map(([before, after], index) => compared(String(index), after, before)));
        expect(back.map(({ change }) => change)).toEqual(there.map(({ change }) => mirrored[change]));
      }),
    );
  });
});
