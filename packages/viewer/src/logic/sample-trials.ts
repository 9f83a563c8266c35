import { createRandom, hashText } from "../../../core/src/values/random.js";
import type { ReportDetail } from "../report-detail.js";
import { judgesOf } from "./export-labels.js";

export interface SampledTrial {
  /** Place in the run. */
  case: number;
  trial: number;
  /** Whether all of its judges passed it. */
  isPassed: boolean;
}

/** The trials of a case that were judged and that a person can read. */
export function judgedTrials({ trials }: ReportDetail, place: number): readonly SampledTrial[] {
  return trials.flatMap(({ trial, assertions, messages }) => {
    const judges = judgesOf(assertions);
    if (judges.length === 0 || messages.length === 0) return [];
    return [{ case: place, trial, isPassed: judges.every(({ pass }) => pass) }];
  });
}

/**
 * Trials for a person to label: half of them passed their judges and half did not, as far as there are so many, since a
 * sample of a good run would show hardly any failure. One seed gives one sample, so that two people label the same.
 */
export function sampleTrials(judged: readonly SampledTrial[], seed: string, size: number): readonly SampledTrial[] {
  const random = createRandom(hashText(seed));
  const all = shuffled(judged, random);
  const passed = all.filter(({ isPassed }) => isPassed);
  const failed = Math.max(Math.ceil(size / 2), size - passed.length);
  const chosen = all.filter(({ isPassed }) => !isPassed).slice(0, failed);
  return shuffled([...chosen, ...passed.slice(0, size - chosen.length)], random);
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const drawn = items.map((item) => ({ item, at: random() }));
  return drawn.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}
