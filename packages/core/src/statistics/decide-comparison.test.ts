import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { createTrialSource } from "./__fixtures__/random-trials.js";
import { apart, compared, decide, kept, lost, won } from "./__fixtures__/compared-cases.js";
import type { ComparedCase } from "./compared-case.js";
import { decideComparison } from "./decide-comparison.js";
import { mcnemarExact } from "./exact-tests.js";

const scripted = { isDeterministic: true };

describe("decideComparison", () => {
  it("is inconclusive when one of twenty single trials of a live model flips", () => {
    const verdict = decide(apart([19, kept], [1, lost]));
    expect(verdict).toMatchObject({ verdict: "inconclusive", p: 0.5, meanDifference: -0.05, cases: 20, clusters: 20 });
    expect(verdict).toMatchObject({ alpha: 0.05, margin: 0.05, regressedOutright: [], noisyCases: 20 });
    expect(verdict.interval?.[0]).toBeLessThan(-0.05);
  });

  it("is a regression outright when the same flips on a scripted one", () => {
    const verdict = decide(apart([19, { ...kept, ...scripted }], [1, { ...lost, ...scripted }]));
    expect(verdict).toEqual({
      verdict: "regressed",
      regressedOutright: ["case 19"],
      cases: 20,
      noisyCases: 0,
      clusters: 0,
      p: null,
      meanDifference: null,
      interval: null,
      wouldDecide: null,
      alpha: 0.05,
      margin: 0.05,
    });
  });

  it.each([
    ["scripted, nothing changed", apart([20, { ...kept, ...scripted }]), "ok"],
    ["scripted, one gained", apart([19, { ...kept, ...scripted }], [1, { ...won, ...scripted }]), "ok"],
    [
      "scripted, still enough passes",
      [compared([3, 3], [2, 3], { ...scripted, candidate: { passes: 2, trials: 3, isPassed: true } })],
      "ok",
    ],
    ["a scripted loss among live ones that are fine", apart([200, kept], [1, { ...lost, ...scripted }]), "regressed"],
    ["nothing to compare", [], "inconclusive"],
    ["no trial that counts", apart([9, compared([1, 1], [0, 0])], [9, compared([0, 0], [1, 1])]), "inconclusive"],
    ["four of four lost", apart([4, lost]), "inconclusive"],
    ["five of five lost", apart([5, lost]), "regressed"],
    ["five of five won", apart([5, won]), "ok"],
    ["one of five won", apart([4, kept], [1, won]), "inconclusive"],
    ["73 kept", apart([72, kept]), "inconclusive"],
    ["74 kept", apart([74, kept]), "ok"],
    ["15 kept, five trials each", apart([15, compared([5, 5], [5, 5])]), "ok"],
    ["14 kept, five trials each", apart([14, compared([5, 5], [5, 5])]), "inconclusive"],
    ["a small drop of many", apart([300, kept], [6, lost]), "regressed"],
    ["a drop within the margin", apart([300, kept], [6, lost], [3, won]), "ok"],
    ["a drop of five in one cluster", apart([20, kept]).concat(Array<ComparedCase>(5).fill(lost)), "inconclusive"],
  ] as const)("%s", (_name, cases, verdict) => {
    expect(decide(cases).verdict).toBe(verdict);
  });

  it("does not let cases without noise dilute a drop of those with it", () => {
    const live = apart([6, lost], [6, kept]);
    const alone = decide(live);
    const together = decide([...live, ...apart([500, { ...kept, ...scripted }])]);
    expect(together).toEqual({ ...alone, cases: 512 });
  });

  it("takes the levels that it is given", () => {
    const cases = apart([20, kept], [4, lost]);
    expect(decideComparison(cases, { seed: 1, alpha: 0.1 })).toMatchObject({ verdict: "regressed", alpha: 0.1 });
    expect(decideComparison(apart([9, kept], [1, won]), { seed: 1, alpha: 1 }).verdict).not.toBe("regressed");
    expect(decideComparison(cases, { seed: 1, margin: 0.5 })).toMatchObject({ verdict: "ok", margin: 0.5 });
  });

  it("has the p of McNemar's exact test with one trial per case", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), fc.integer({ min: 1, max: 20 }), (worsened, improved, same) => {
        expect(decide(apart([worsened, lost], [improved, won], [same, kept])).p).toBe(mcnemarExact(worsened, improved));
      }),
    );
  });

  it("repeats itself, whatever the order of the cases", () => {
    const run = createTrialSource(8);
    const cases = Array.from({ length: 60 }, (_, index) => {
      const [before, after] = [run(0.8, 5), run(0.7, 7)];
      return compared([before.passes, 5], [after.passes, 7], { caseId: `case ${index}`, cluster: String(index) });
    });
    expect(decide(cases)).toEqual(decide(cases));
    const { p, interval } = decide(cases.toReversed());
    expect(p).toBe(decide(cases).p);
    expect(interval?.[0]).toBeCloseTo(decide(cases).interval?.[0] ?? Number.NaN, 12);
  });

  describe("of runs with known rates", () => {
    const repeats = draws({ brief: 100, full: 400 });
    const chance = 4 * Math.sqrt((0.05 * 0.95) / repeats);

    function shares(count: number, trials: number, before: number, after: number) {
      const run = createTrialSource(2);
      const seen = { regressed: 0, ok: 0, inconclusive: 0 };
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const cases = Array.from({ length: count }, (_, index) => {
          const passes = [run(before, trials).passes, run(after, trials).passes] as const;
          return compared([passes[0], trials], [passes[1], trials], { cluster: String(index) });
        });
        seen[decide(cases).verdict] += 1 / repeats;
      }
      return seen;
    }

    it.each([
      [20, 1, 0.8],
      [20, 5, 0.9],
      [12, 3, 0.5],
      [50, 1, 0.95],
    ])("raises no more false alarms than alpha: %d cases × %d trials at %d", (count, trials, rate) => {
      expect(shares(count, trials, rate, rate).regressed).toBeLessThan(0.05 + chance);
    });

    it.each([
      [20, 5, 1, 0.95],
      [20, 3, 0.95, 0.9],
      [80, 1, 1, 0.95],
      [80, 1, 0.9, 0.85],
    ])("does not call a drop of the margin ok: %d cases × %d trials, %d → %d", (count, trials, before, after) => {
      expect(shares(count, trials, before, after).ok).toBeLessThan(0.025 + chance);
    });

    it.each([
      [20, 5, 0.9, 0.6],
      [18, 3, 0.95, 0.6],
      [100, 1, 0.9, 0.6],
    ])("finds a large drop: %d cases × %d trials, %d → %d", (count, trials, before, after) => {
      expect(shares(count, trials, before, after).regressed).toBeGreaterThan(0.95);
    });
  });
});
