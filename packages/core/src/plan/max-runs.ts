import type { ResolvedTest } from "../config/resolved-config.js";
import type { RunTestsOptions } from "./run-options.js";
import type { PlannedCase, RunPlan } from "./run-plan.js";

/** How many times the trials of a case may be run to decide a comparison where the config has no limit. */
const usualRounds = 4;

/** Shards are compared after the merge, when no more can be run, and confirmation trials answer the same question. */
export function maxRunsOf(
  { maxRuns, allowFailure }: ResolvedTest,
  runs: number,
  { untilDecided, baseline, confirm, shard }: RunTestsOptions,
): Pick<PlannedCase, "maxRuns"> {
  if (untilDecided === false || baseline === false || confirm === true || shard !== undefined) return {};
  if (allowFailure !== null) return {};
  const usual = untilDecided === true ? runs * usualRounds : 0;
  const max = maxRuns ?? usual;
  return max > runs ? { maxRuns: max } : {};
}

interface TrialCounts {
  trialCount: number;
  maxTrialCount: number;
}

/** A case that is skipped has no trials. */
export function addTrials(counts: TrialCounts, { skip, runs, maxRuns = runs }: PlannedCase): void {
  if (skip !== null) return;
  counts.trialCount += runs;
  counts.maxTrialCount += maxRuns;
}

/** Returns how many cases there are. */
export function addCases(counts: TrialCounts, cases: Iterable<PlannedCase>): number {
  let added = 0;
  for (const planned of cases) {
    added += 1;
    addTrials(counts, planned);
  }
  return added;
}

export function trialCounts({ trialCount, maxTrialCount }: TrialCounts): Pick<RunPlan, "trialCount" | "maxTrialCount"> {
  return { trialCount, ...(maxTrialCount === trialCount ? {} : { maxTrialCount }) };
}
