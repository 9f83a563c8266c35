import { addTrials, trialCounts } from "./max-runs.js";
import type { PlannedBrokenSuite, PlannedCase, RunPlan } from "./run-plan.js";

/**
 * The plan with other cases, which are counted and numbered; a suite without any is left out. `casesOf` is called again
 * whenever the cases are needed, so that no plan holds them. `broken`: what becomes of a suite that cannot run.
 */
export function derivePlan(
  plan: RunPlan,
  casesOf: () => Iterable<PlannedCase>,
  broken: (suite: PlannedBrokenSuite) => readonly PlannedBrokenSuite[],
): RunPlan {
  const counts = new Map<string, number>();
  let caseCount = 0;
  const trials = { trialCount: 0, maxTrialCount: 0 };
  for (const planned of casesOf()) {
    const { suite } = planned;
    counts.set(suite, (counts.get(suite) ?? 0) + 1);
    caseCount += 1;
    addTrials(trials, planned);
  }
  const suites = plan.suites.flatMap((suite): RunPlan["suites"] => {
    if (suite.status === "broken") return broken(suite);
    const own = counts.get(suite.name);
    return own === undefined ? [] : [{ ...suite, caseCount: own }];
  });
  const { maxTrialCount: _all, ...others } = plan;
  return {
    ...others,
    suites,
    caseCount,
    ...trialCounts(trials),
    *cases() {
      let index = 0;
      for (const planned of casesOf()) {
        yield { ...planned, index };
        index += 1;
      }
    },
  };
}
