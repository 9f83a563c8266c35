import type { ChangedCase, ComparedSuite, RunComparison, SuiteComparison } from "../summary/comparison-result.js";
import type { SuiteResult, TrialResult } from "../engine/run-result.js";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { createCaseFilter } from "../plan/case-filter.js";
import type { AgentParts } from "../plan/identity/agent-parts.js";
import type { ComparisonRules } from "../plan/comparison-rules.js";
import type { Redactor } from "../redaction/redactor.js";
import { baselinePlace } from "./baseline-place.js";
import type { RepeatedCase } from "../engine/ports.js";
import type { BaselineStamps } from "./baseline-stamps.js";
import {
  decideSuiteComparisons,
  measureComparison,
  type DecidedSuite,
  type FlaggedPair,
  type LeftSuite,
  type MeasuredSuite,
} from "./decide-suite-comparisons.js";
import { describeCalls } from "./describe-calls.js";
import { loadBaseline, type LoadedBaseline } from "./load-baseline.js";
import { standsForCase } from "./usability-of.js";

/** A run that is over. */
export interface ComparedRun {
  /** The folder that contains `.kindlm`. */
  root: string;
  suites: readonly SuiteResult[];
  agents: Readonly<Record<string, AgentParts>>;
  rules: ComparisonRules;
  /** The trials of a case; may reject. */
  read(caseId: string): AsyncIterable<TrialResult>;
  redact: Redactor["redact"];
  /** Of a run that has just come to its end; absent for a stored one. */
  since?: BaselineStamps;
  /** What a suite is compared with. Default: its baseline. */
  load?(suite: string): Promise<LoadedBaseline>;
}

/** Null when none of the suites that ran has a baseline. Reads the trials of flagged cases alone. */
export async function compareRun(run: ComparedRun): Promise<RunComparison | null> {
  const decided = decideSuiteComparisons(await measureSuites(run), run.rules);
  if (decided.every(({ status }) => status === "none")) return null;
  const suites: SuiteComparison[] = [];
  for (const one of decided) {
    // The trials of one suite at a time are in memory.
    suites.push(one.status === "decided" ? await readChanges(one, run) : one);
  }
  const verdicts = suites.flatMap((suite) => (suite.status === "compared" ? [suite.verdict] : []));
  return { verdict: worstOf(verdicts), suites };
}

function worstOf(verdicts: readonly ComparedSuite["verdict"][]): RunComparison["verdict"] {
  return (["regressed", "inconclusive", "ok"] as const).find((verdict) => verdicts.includes(verdict)) ?? null;
}

/** The cases to try again before the run is called worse than its baselines. */
export async function findSuspects(run: ComparedRun): Promise<readonly RepeatedCase[]> {
  const decided = decideSuiteComparisons(await measureSuites(run), run.rules);
  return decided.flatMap((one) =>
    one.status === "decided"
      ? one.suspects.map(({ test, compared }) => ({
          caseId: test.id,
          // As many as are worth it, and no fewer than the case had.
          trials: Math.max(compared.baseline.trials, test.runs),
          after: 0,
        }))
      : [],
  );
}

/**
 * The cases of suites whose comparison is open, with the trials that they need for the next look at it. Those of the suite
 * that needs the fewest to be decided come first, so that a budget that runs out has decided as much as it could.
 */
export async function findUndecided(run: ComparedRun): Promise<readonly RepeatedCase[]> {
  const decided = decideSuiteComparisons(await measureSuites(run), run.rules);
  const open = decided.flatMap((one) => (one.status === "decided" && one.next.length > 0 ? [one] : []));
  return open.toSorted((one, other) => trialsToDecide(one) - trialsToDecide(other)).flatMap(({ next }) => next);
}

function trialsToDecide({ suite: { wouldDecide, cases } }: DecidedSuite): number {
  return (wouldDecide?.trials ?? Number.MAX_SAFE_INTEGER) * cases;
}

/** Measures each suite that ran against its baseline. */
async function measureSuites(run: ComparedRun): Promise<readonly (MeasuredSuite | LeftSuite)[]> {
  const { agents, rules, redact } = run;
  const measured: (MeasuredSuite | LeftSuite)[] = [];
  for (const { status, name, tests } of run.suites) {
    if (status !== "run" || tests.every((test) => test.status === "skipped")) continue;
    const suite = redact(name);
    // One baseline at a time is in memory.
    const loaded = await (run.load?.(suite) ?? loadBaseline(baselinePlace(run.root, suite), run.since));
    if (loaded.status === "none") measured.push({ suite, status: "none" });
    else if (loaded.status === "unusable") measured.push({ suite, status: "unreadable", error: loaded.error });
    else {
      const { baseline } = loaded;
      const question = { suite, tests, baseline, agents, alpha: rules.alpha, sees: seenBy(rules), redact };
      measured.push(measureComparison(question));
    }
  }
  return measured;
}

async function readChanges({ suite, worse, better }: DecidedSuite, run: ComparedRun): Promise<ComparedSuite> {
  return {
    ...suite,
    worse: await Promise.all(worse.map((pair) => changedCase(pair, "worse", run))),
    better: await Promise.all(better.map((pair) => changedCase(pair, "better", run))),
  };
}

/** If cases were selected by something that their IDs do not show, nothing is known of the missing ones. */
function seenBy({ sees }: ComparisonRules): (caseId: string) => boolean {
  if (sees === null) return () => false;
  const filter = createCaseFilter(sees, { suites: [], tags: [], models: [] });
  return filter.success ? filter.data.takesCase : () => false;
}

async function changedCase(
  { test, entry, compared, flag }: FlaggedPair,
  change: "worse" | "better",
  { read, redact }: ComparedRun,
): Promise<ChangedCase> {
  const { caseId, isCritical, baseline, candidate } = compared;
  // What is worse shows best in a trial that did not pass, though enough others may have.
  const shown = change === "worse" ? { ...test, status: "failed" as const } : test;
  const found = await attempt(() => findTrial(read(test.id), shown), unreadable);
  const after = found.success && found.data !== null ? describeCalls(found.data, redact) : null;
  const isSame =
    after === null || (after.length === entry.calls.length && after.every((call, at) => call === entry.calls[at]));
  return {
    caseId,
    isCritical,
    baseline: { passes: baseline.passes, trials: baseline.trials },
    candidate: { passes: candidate.passes, trials: candidate.trials },
    p: flag.p?.[change] ?? null,
    calls: isSame ? null : { before: entry.calls, after },
  };
}

async function findTrial(
  trials: AsyncIterable<TrialResult>,
  test: Parameters<typeof standsForCase>[0],
): Promise<TrialResult | null> {
  for await (const trial of trials) if (standsForCase(test, trial)) return trial;
  return null;
}

function unreadable(cause: unknown) {
  return kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause });
}
