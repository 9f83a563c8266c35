import { hashText } from "../packages/core/build/values/random.js";
import { confirmTogether } from "../packages/core/build/statistics/confirm-comparison.js";
import { decideComparison } from "../packages/core/build/statistics/decide-comparison.js";
import { flagCases } from "../packages/core/build/statistics/flag-cases.js";
import { lowered, named, percent } from "./comparison-tables.js";
import { createRuns, ratesOf } from "./simulated-runs.js";

/** The false alarms when of several runs the best became the baseline. */
function* saving([cases, trials]) {
  for (const choices of [1, 3, 10]) {
    const pair = createRuns(hashText(`blessing ${cases} ${trials} ${choices}`));
    const design = { before: ratesOf(0.9, cases), trials };
    const passesOf = (run) => run.reduce((sum, { baseline }) => sum + baseline.passes, 0);
    let regressed = 0;
    for (let seed = 0; seed < 1_000; seed += 1) {
      const runs = Array.from({ length: choices }, () => pair(design));
      const best = runs.toSorted((a, b) => passesOf(b) - passesOf(a))[0];
      if (decideComparison(best, { seed, margin: 1 }).verdict === "regressed") regressed += 1;
    }
    yield percent(regressed / 1_000);
  }
}

/** Of the comparisons that were regressed at first: how many are so again on fresh trials of the suspects. */
function* confirmation([cases, trials]) {
  const of = (rate, drop, times) => {
    const pair = createRuns(hashText(`confirm ${cases} ${trials} ${rate} ${drop}`));
    const before = ratesOf(rate, cases);
    const design = { before, after: lowered(before, drop), trials };
    const seen = { first: 0, again: 0 };
    for (let seed = 0; seed < times; seed += 1) {
      const compared = pair(design);
      const levels = { seed, margin: 1 };
      const found = { verdict: decideComparison(compared, levels), flags: flagCases(compared) };
      if (found.verdict.verdict !== "regressed") continue;
      const fresh = new Map(pair(design).map(({ caseId, candidate }) => [caseId, candidate]));
      const retried = { ...found, cases: compared, seed, fresh };
      seen.first += 1;
      if (confirmTogether([retried], levels)(retried).verdict.verdict === "regressed") seen.again += 1;
    }
    return `${percent(seen.first / times)} → ${percent(seen.again / times)}`;
  };
  for (const rate of [0.9, 0.7]) yield of(rate, 0, 2_000);
  yield of(0.9, 0.2, 500);
}

export const habitTables = {
  saving: {
    head: ["cases × trials", "the first run", "the best of 3", "the best of 10"],
    rows: [
      [20, 1],
      [50, 1],
      [20, 5],
    ],
    name: named,
    cells: saving,
  },
  confirmation: {
    head: ["cases × trials", "0.9 unchanged", "0.7 unchanged", "0.9 fell to 0.7"],
    rows: [
      [20, 3],
      [20, 5],
      [50, 1],
      [100, 1],
      [200, 1],
    ],
    name: named,
    cells: confirmation,
  },
};
