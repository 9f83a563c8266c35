import { createRandom } from "../packages/core/build/values/random.js";

/**
 * The pass rates of the cases of a design, by kind. `uneven` lies between 0 and 1 with a mean of 0.83: the quantiles of
 * Beta(2.5, 0.5), of which most cases nearly always pass and some seldom do.
 */
export function ratesOf(kind, cases) {
  return Array.from({ length: cases }, (_, index) => (kind === "uneven" ? unevenRate((index + 0.5) / cases) : kind));
}

/** A quantile of Beta(2.5, 0.5), by halving over the sum of its density. */
const unevenTable = (() => {
  const steps = 20_000;
  let sum = 0;
  const sums = Array.from({ length: steps }, (_, index) => {
    const x = (index + 0.5) / steps;
    return (sum += x ** 1.5 * (1 - x) ** -0.5);
  });
  return { steps, sums, sum };
})();

function unevenRate(share) {
  const { steps, sums, sum } = unevenTable;
  let low = 0;
  let high = steps - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle] < share * sum) low = middle + 1;
    else high = middle;
  }
  return (low + 0.5) / steps;
}

/**
 * A source of pairs of runs, baseline and candidate, of agents whose pass rates are known; equal seeds give equal runs.
 * `together` is the chance of a trial to come out as the whole cluster does in that run: rows that stand or fall as one.
 */
export function createRuns(seed) {
  const random = createRandom(seed);

  function countsOf(rates, trials, clusterOf, together) {
    const shared = new Map();
    return rates.map((rate, index) => {
      let passes = 0;
      for (let trial = 0; trial < trials; trial += 1) {
        let luck = random();
        if (together > 0 && random() < together) {
          const key = `${clusterOf(index)} ${trial}`;
          if (!shared.has(key)) shared.set(key, random());
          luck = shared.get(key);
        }
        if (luck < rate) passes += 1;
      }
      return { passes, trials, isPassed: passes === trials };
    });
  }

  return function pair({ before, after = before, trials, trialsBefore = trials, clusterSize = 1, together = 0 }) {
    const clusterOf = typeof clusterSize === "function" ? clusterSize : (index) => Math.floor(index / clusterSize);
    const baseline = countsOf(before, trialsBefore, clusterOf, together);
    const candidate = countsOf(after, trials, clusterOf, together);
    return baseline.map((counts, index) => ({
      caseId: `case ${index}`,
      cluster: String(clusterOf(index)),
      isDeterministic: false,
      isCritical: false,
      baseline: counts,
      candidate: candidate[index],
    }));
  };
}
