import { createRandom, hashText } from "../packages/core/build/values/random.js";
import { decideEarlyEnd } from "../packages/core/build/statistics/decide-early-end.js";
import { decideSprt } from "../packages/core/build/statistics/decide-sprt.js";

const repeats = 20_000;
const limits = { good: 0.9, bad: 0.6, alpha: 0.05, beta: 0.1 };

/** What the passes ÷ trials of cases that ended early make of a known rate. */
function earlyEnd([runs, required]) {
  return [0.95, 0.8, 0.5].map((rate) => {
    const random = createRandom(hashText(`early ${runs} ${required} ${rate}`));
    let [sum, trials] = [0, 0];
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      let [passes, failures] = [0, 0];
      while (decideEarlyEnd({ passes, failures, errors: 0, runs, required }) === null) {
        if (random() < rate) passes += 1;
        else failures += 1;
      }
      sum += passes / (passes + failures);
      trials += passes + failures;
    }
    return `${(sum / repeats).toFixed(2)}, ${(trials / repeats).toFixed(1)} trials`;
  });
}

function sprt([rate]) {
  const random = createRandom(hashText(`sprt ${rate}`));
  const seen = { passed: 0, failed: 0 };
  let [all, sum] = [0, 0];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    let [passes, trials] = [0, 0];
    let verdict = null;
    while (verdict === null) {
      trials += 1;
      if (random() < rate) passes += 1;
      verdict = decideSprt({ passes, trials }, limits);
    }
    seen[verdict] += 1 / repeats;
    all += trials;
    sum += passes / trials;
  }
  return [
    `${(100 * seen.passed).toFixed(1)}%`,
    `${(100 * seen.failed).toFixed(1)}%`,
    (all / repeats).toFixed(1),
    (sum / repeats).toFixed(2),
  ];
}

export const trialTables = {
  "early-end": {
    head: ["passes needed", "rate 0.95", "rate 0.8", "rate 0.5"],
    rows: [
      [3, 3],
      [5, 5],
      [5, 4],
      [5, 3],
    ],
    name: ([runs, required]) => `${required} of ${runs}`,
    cells: earlyEnd,
  },
  sprt: {
    head: ["true rate", "passed", "failed", "trials", "passes ÷ trials"],
    rows: [[0.95], [0.9], [0.75], [0.6], [0.5]],
    name: ([rate]) => String(rate),
    cells: sprt,
  },
};
