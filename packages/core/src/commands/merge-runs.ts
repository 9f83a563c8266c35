import { assembleResult } from "../run/assemble-result.js";
import { locateRoot, type ProjectPlace } from "../config/locate-root.js";
import { compareWhenSet } from "../baseline/compare-when-set.js";
import { completeEnvironment, type Environment, type World } from "../run/environment.js";
import { casesOf } from "../engine/summary/cases-of.js";
import type { RunResult, SuiteResult } from "../engine/run-result.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { createRunId } from "../journal/run-id.js";
import { unknownRules } from "../plan/comparison-rules.js";
import { failure, success, type Result } from "../result.js";
import { kindlmVersion } from "../version.js";
import { decideMerge, type FinishedShard, type MergeRefusal } from "../merge/decide-merge.js";
import { joinSuites, type JoinedSuite } from "../merge/join-suites.js";
import { loadCandidates, type LoadedCandidate } from "../merge/load-candidates.js";
import { createRoom } from "../merge/packed-cases.js";
import { createMergedTrials, type TrialPart } from "../merge/merged-trials.js";
import { mergeInfo, mergeWarnings, sumSettled } from "../merge/merge-totals.js";
import { writeMergedRun, type MergedRun } from "../merge/write-merged-run.js";

/** What is to be merged. The config says where `.kindlm` is, and nothing else. */
export interface MergeOptions extends ProjectPlace {
  /** Run folders, folders that hold several, or ids of runs. */
  runs: readonly string[];
}

/**
 * Joins the shards of a run into one new run with one verdict, and writes down what each case took. Fails with
 * RUN_NOT_FOUND and STORE_CORRUPT, and with MERGE_REFUSED where the runs are not all the shards of one, each once. What
 * cannot be written is a warning: the verdict stands.
 */
export async function mergeRuns(options: MergeOptions, environment: Environment = {}): Promise<Result<RunResult>> {
  const world = completeEnvironment(environment);
  const root = await locateRoot(options, world.cwd);
  const loaded = await loadCandidates(options.runs, { root, cwd: world.cwd, room: createRoom() });
  if (!loaded.success) return loaded;
  const decided = decideMerge(loaded.data, kindlmVersion);
  if (!decided.success) return failure(refused(decided.error));
  const shards = decided.data;
  const joined = joinSuites(
    shards[0].shard.suites,
    shards.map(({ source, run }) => ({ shown: source.shown, suites: run.suites })),
  );
  if (!joined.success) return failure(refused(joined.error));
  world.expectStoredTrials?.(joined.data.reduce((sum, { suite }) => sum + suite.tests.length, 0));
  const merged = await assembleMerged(createRunId(world.clock.now()), shards, joined.data, { root, world });
  if (!merged.success) return merged;
  const problems = await writeMergedRun(merged.data, root, world);
  const { result } = merged.data;
  return success({ ...result, warnings: [...result.warnings, ...problems] });
}

type Shards = readonly [FinishedShard<LoadedCandidate>, ...FinishedShard<LoadedCandidate>[]];

/** Everything is computed from the cases and trials of all shards; no verdict of a shard is looked at. */
async function assembleMerged(
  id: string,
  shards: Shards,
  joined: readonly JoinedSuite[],
  { root, world }: { root: string; world: World },
): Promise<Result<MergedRun>> {
  const [first, ...others] = shards;
  const suites = joined.map(({ suite }) => suite);
  const heads = shards.map(({ run }) => run.head);
  const parts = await loadParts(shards);
  if (!parts.success) return parts;
  const trials = createMergedTrials(parts.data, joined);
  const measured = await trials.measure(sumSettled(heads.map((head) => head.summary)));
  if (!measured.success) return measured;
  const { totals, suiteTotals, durationsMs } = measured.data;
  const haltedBy = [...new Set(heads.flatMap((head) => head.haltedBy ?? []))].join("; ") || null;
  const info = mergeInfo(
    id,
    first.info,
    others.map((other) => other.info),
  );
  const { rules } = first.run.head;
  const { header: begun } = first.source;
  const agents = Object.fromEntries(heads.flatMap((head) => Object.entries(head.agents ?? {})));
  const { read } = trials;
  const { redact } = world.redactor;
  const comparison =
    begun.options.baseline === false
      ? null
      : await compareWhenSet({ root, suites, agents, rules: rules.comparison ?? unknownRules, read, redact });
  const result = await assembleResult({
    suites,
    totals,
    suiteTotals,
    ranCases: { [Symbol.iterator]: () => idsThatRan(suites) },
    stoppedBy: null,
    haltedBy,
    rules,
    info,
    warnings: mergeWarnings(heads.map((head) => head.warnings)),
    read,
    comparison,
    agents,
    redact,
  });
  const { shard: _shard, shardDurations: _durations, ...options } = begun.options;
  const header = { ...begun, runId: id, startedAt: info.startedAt, options };
  return success({ header, result, rules, haltedBy, trials, durationsMs });
}

/** One journal after the other: what is only needed while it is read is of one shard at a time. */
async function loadParts(shards: Shards): Promise<Result<readonly TrialPart[]>> {
  const parts: TrialPart[] = [];
  for (const { source, run } of shards) {
    const trials = await source.loadTrials();
    if (!trials.success) return trials;
    parts.push({ shown: source.shown, suites: run.suites, trials: trials.data });
  }
  return success(parts);
}

function* idsThatRan(suites: readonly SuiteResult[]): Generator<string> {
  for (const { id, status } of casesOf(suites)) if (status !== "skipped") yield id;
}

function refused({ message, hint }: MergeRefusal): KindlmError {
  return kindlmError("MERGE_REFUSED", message, { details: { hint } });
}
