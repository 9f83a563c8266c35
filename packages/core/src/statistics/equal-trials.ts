import { createRandom, hashText } from "../values/random.js";
import type { CaseCounts } from "./case-counts.js";
import type { PairedCase } from "./paired-difference.js";

/**
 * The case with as many trials on both sides: of the side that has more, as many are drawn as the other one has.
 *
 * The sign-flip test asks what the data would be with baseline and run exchanged. Where one has fewer trials its rate is
 * the coarser one, and an exchange is no longer as likely as what was seen: single trials that all passed, against five of
 * which one in ten fails, are called regressed in 12% of the comparisons of 20 cases that did not change. Drawing keeps
 * the test exact, at the price of the trials that are left out. Which those are depends on the seed and the id of the case alone.
 */
export function equalTrials(one: PairedCase & { caseId: string }, seed: number): PairedCase {
  const { caseId, cluster, baseline, candidate } = one;
  if (baseline.trials === candidate.trials) return one;
  const random = createRandom(seed ^ hashText(caseId));
  const trials = Math.min(baseline.trials, candidate.trials);
  return { cluster, baseline: drawTrials(baseline, trials, random), candidate: drawTrials(candidate, trials, random) };
}

/** So many of the trials, or all where there are no more, without putting any back. */
function drawTrials(all: CaseCounts, trials: number, random: () => number): CaseCounts {
  if (all.trials <= trials) return all;
  let passes = 0;
  for (let drawn = 0; drawn < trials; drawn += 1) {
    if (random() * (all.trials - drawn) < all.passes - passes) passes += 1;
  }
  return { passes, trials };
}
