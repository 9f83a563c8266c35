import type { ChangedCase, ComparedSuite, RunComparison, SuiteComparison } from "../engine/comparison-result.js";
import type { SuiteResult, TrialResult } from "../engine/run-result.js";
import { attempt, messageOf } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { createCaseFilter } from "../plan/case-filter.js";
import type { AgentParts } from "../plan/identity/agent-parts.js";
import type { ComparisonRules } from "../plan/comparison-rules.js";
import type { Redactor } from "../redaction/redactor.js";
import { baselinePlace } from "./baseline-place.js";
import type { Suspect } from "../engine/ports.js";
import type { Baseline } from "./baseline.js";
import { decideSuiteComparison, type DecidedSuite, type FlaggedPair } from "./decide-suite-comparison.js";
import { describeCalls } from "./describe-calls.js";
import { loadBaseline } from "./load-baseline.js";
import { standsForCase } from "./stands-for-case.js";

/** A run that is over. */
export interface ComparedRun {
  /** The folder that `.kindlm` stands in. */
  root: string;
  suites: readonly SuiteResult[];
  agents: Readonly<Record<string, AgentParts>>;
  rules: ComparisonRules;
  /** The trials of a case; may reject. */
  read(caseId: string): AsyncIterable<TrialResult>;
  redact: Redactor["redact"];
}

/** Null when none of the suites that ran has a baseline. Reads the trials of flagged cases alone. */
export async function compareRun(run: ComparedRun): Promise<RunComparison | null> {
  const suites: SuiteComparison[] = [];
  for (const suite of run.suites) {
    const hasRun = suite.status === "run" && suite.tests.some((test) => test.status !== "skipped");
    // oxlint-disable-next-line no-await-in-loop -- one baseline at a time is in memory
    if (hasRun) suites.push(await compareSuite(suite, run));
  }
  if (suites.every(({ status }) => status === "none")) return null;
  const verdicts = suites.flatMap((suite) => (suite.status === "compared" ? [suite.verdict] : []));
  return { verdict: worstOf(verdicts), suites };
}

function worstOf(verdicts: readonly ComparedSuite["verdict"][]): RunComparison["verdict"] {
  return (["regressed", "inconclusive", "ok"] as const).find((verdict) => verdicts.includes(verdict)) ?? null;
}

async function compareSuite({ name, tests }: SuiteResult, run: ComparedRun): Promise<SuiteComparison> {
  const suite = run.redact(name);
  const loaded = await loadBaseline(baselinePlace(run.root, suite));
  if (loaded.status === "none") return { suite, status: "none" };
  if (loaded.status === "unusable") return { suite, status: "unreadable", error: loaded.error };
  const decided = decideFor(run, suite, tests, loaded.baseline);
  const worse = await Promise.all(decided.worse.map((pair) => changedCase(pair, "worse", run)));
  const better = await Promise.all(decided.better.map((pair) => changedCase(pair, "better", run)));
  return { ...decided.suite, worse, better };
}

function decideFor(run: ComparedRun, suite: string, tests: SuiteResult["tests"], baseline: Baseline): DecidedSuite {
  const { agents, rules, redact } = run;
  const { alpha, margin } = rules;
  return decideSuiteComparison({ suite, tests, baseline, agents, alpha, margin, sees: seenBy(rules), redact });
}

/** The cases to try again before the run is called worse than its baselines. */
export async function findSuspects(run: ComparedRun): Promise<readonly Suspect[]> {
  const suspects: Suspect[] = [];
  for (const { name, tests } of run.suites) {
    const suite = run.redact(name);
    // oxlint-disable-next-line no-await-in-loop -- one baseline at a time is in memory
    const loaded = await loadBaseline(baselinePlace(run.root, suite));
    if (loaded.status !== "sound") continue;
    const decided = decideFor(run, suite, tests, loaded.baseline);
    suspects.push(...decided.suspects.map(({ test, entry }) => ({ caseId: test.id, trials: entry.trials })));
  }
  return suspects;
}

/** Where cases were chosen by what their ids do not show, nothing can be told of those that are not there. */
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
