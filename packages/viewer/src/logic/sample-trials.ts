import { createRandom, hashText } from "../../../core/src/values/random.js";
import type { ReportIndex } from "../report-data.js";

export interface SampledTrial {
  case: number;
  trial: number;
}

/**
 * Trials for a person to label: half of them passed their judges and half did not, as far as there are so many, since a
 * sample of a good run would show hardly any failure. One seed gives one sample, so that two people label the same.
 */
export function sampleTrials(index: ReportIndex, seed: string, size = 50): readonly SampledTrial[] {
  const random = createRandom(hashText(seed));
  const judged = { p: shuffled(trialsWith(index, "p"), random), f: shuffled(trialsWith(index, "f"), random) };
  const failed = Math.max(Math.ceil(size / 2), size - judged.p.length);
  const chosen = judged.f.slice(0, failed);
  return shuffled([...chosen, ...judged.p.slice(0, size - chosen.length)], random);
}

function trialsWith({ cases }: ReportIndex, letter: "p" | "f"): SampledTrial[] {
  return cases.flatMap(({ judged = "" }, place) =>
    judged.split("").flatMap((one, at) => (one === letter ? [{ case: place, trial: at + 1 }] : [])),
  );
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const drawn = items.map((item) => ({ item, at: random() }));
  return drawn.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}
