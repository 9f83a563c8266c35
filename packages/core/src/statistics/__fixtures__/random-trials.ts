import { createRandom } from "../../values/random.js";
import type { CaseCounts } from "../case-counts.js";

/** A source of cases whose trials pass with known probabilities; equal seeds give equal cases. */
export function createTrialSource(seed: number): (rate: number, trials: number) => CaseCounts {
  const random = createRandom(seed);
  return (rate, trials) => {
    let passes = 0;
    for (let trial = 0; trial < trials; trial += 1) if (random() < rate) passes += 1;
    return { passes, trials };
  };
}
