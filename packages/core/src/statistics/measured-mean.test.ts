import { describe, expect, it } from "vitest";
import { createTrialSource } from "./__fixtures__/random-trials.js";
import { effectiveClusters, trialNoise, typicalTrials } from "./measured-mean.js";

const samples = (...counts: [passes: number, trials: number][]) =>
  counts.map(([passes, trials]) => ({ passes, trials }));
const one = (...counts: [passes: number, trials: number][]) => ({ cluster: "a", samples: samples(...counts) });

describe("trialNoise", () => {
  it("adds up what each sample shows", () => {
    // By hand: 2 of 4 has the variance 1/3 per trial, 1 of 2 has 1/2.
    expect(trialNoise([one([2, 4], [1, 2])])).toBeCloseTo(1 / 12 + 1 / 4, 14);
    expect(trialNoise([one([2, 4]), one([5, 5])])).toBeCloseTo(1 / 12 / 4, 14);
  });

  it("takes single trials to be as noisy as the others, and says nothing where there are no others", () => {
    expect(trialNoise([one([2, 4], [1, 2], [1, 1])])).toBeCloseTo(1 / 12 + 1 / 4 + 5 / 12, 14);
    expect(trialNoise([one([1, 1], [0, 1])])).toBeNull();
  });

  it("is right on average", () => {
    const run = createTrialSource(9);
    const repeats = 4_000;
    let sum = 0;
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      sum +=
        trialNoise([
          { cluster: "a", samples: [run(0.8, 4)] },
          { cluster: "b", samples: [run(0.5, 2)] },
        ]) ?? 0;
    }
    expect(sum / repeats).toBeCloseTo((0.16 / 4 + 0.25 / 2) / 4, 2);
  });
});

describe("typicalTrials", () => {
  it("is the harmonic mean over the cases, of the smaller sample of each", () => {
    expect(typicalTrials([one([1, 5], [1, 5]), one([1, 5], [1, 5])])).toBeCloseTo(5, 14);
    expect(typicalTrials([one([1, 1]), one([1, 3])])).toBeCloseTo(1.5, 14);
    expect(typicalTrials([one([1, 1], [1, 9]), one([1, 9], [1, 3])])).toBeCloseTo(1.5, 14);
  });
});

describe("effectiveClusters", () => {
  it("is the number of clusters of one size, and less for clusters of many", () => {
    const inClusters = (letters: string) => letters.split("").map((cluster) => ({ cluster, samples: samples([1, 1]) }));
    expect(effectiveClusters(inClusters("abcd"))).toBe(4);
    expect(effectiveClusters(inClusters("aabbcc"))).toBe(3);
    expect(effectiveClusters(inClusters("aaaaab"))).toBeCloseTo(36 / 26, 14);
  });
});
