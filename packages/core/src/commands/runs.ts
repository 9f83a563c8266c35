import pLimit from "p-limit";
import { locateRoot, type ProjectPlace } from "../config/locate-root.js";
import { describeRun, type RunListing } from "../journal/describe-run.js";
import type { LoadedRun } from "../journal/loaded-run.js";
import { readRun } from "../journal/read-run.js";
import { choosesCases, createCaseFilter, unmetPatterns } from "../plan/case-filter.js";
import type { TestFilters } from "../plan/run-options.js";
import type { RunResult, RunSelection, SuiteResult, TestResult } from "../engine/run-result.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { SuiteComparison } from "../summary/comparison-result.js";
import { removeOldRuns, type PruneLimits, type PruneOutcome } from "../journal/remove-old-runs.js";
import { findRunFolder, listRunFolders } from "../journal/run-folder.js";
import { failure, success, type Result } from "../result.js";
import type { Environment } from "../run/environment.js";
import { createSystemClock } from "../values/clock.js";
import { processDefaults } from "../values/process-defaults.js";

export type { RunListing, RunState } from "../journal/describe-run.js";
export type { LoadedRun } from "../journal/loaded-run.js";
export type { PruneLimits, PruneOutcome } from "../journal/remove-old-runs.js";

type Place = Pick<Environment, "cwd" | "clock" | "expectStoredTrials">;

const completed = ({ clock = createSystemClock(), expectStoredTrials, ...given }: Place) => ({
  clock,
  expectStoredTrials,
  ...processDefaults(given),
});

/** A run: its id, the beginning of it or the path of its folder; absent or `last` for the newest. */
interface WantedRun extends ProjectPlace {
  run?: string;
}

/** Folders that are looked at side by side; each takes a few open files. */
const foldersAtATime = 16;

/** All runs, the newest first. Reads the first lines of their files alone. */
export async function listRuns(project: ProjectPlace, environment: Place = {}): Promise<readonly RunListing[]> {
  const { cwd, clock } = completed(environment);
  const limit = pLimit(foldersAtATime);
  const folders = await listRunFolders(await locateRoot(project, cwd));
  return Promise.all(folders.map((folder) => limit(() => describeRun(folder, clock))));
}

/** One run as the list has it. Fails with RUN_NOT_FOUND. */
export async function findRun({ run, ...project }: WantedRun, environment: Place = {}): Promise<Result<RunListing>> {
  const { cwd, clock } = completed(environment);
  const found = await findRunFolder(await locateRoot(project, cwd), run ?? null, cwd);
  return found.success ? success(await describeRun(found.data, clock)) : found;
}

/**
 * Reads a finished run back. What was said stays on the disk until it is asked for. Fails with RUN_NOT_FOUND, with
 * `isUnfinished` for a run that never came to its end, and with STORE_CORRUPT.
 */
export async function loadRun({ run, ...project }: WantedRun, environment: Place = {}): Promise<Result<LoadedRun>> {
  const { cwd, expectStoredTrials } = completed(environment);
  return readRun(await locateRoot(project, cwd), run ?? null, cwd, expectStoredTrials);
}

/**
 * Removes old runs, the oldest first. One that a process is at work on stays, and so does every folder whose name is
 * not the id of a run: somebody put it there.
 */
export async function pruneRuns(
  { paths, config, root, ...limits }: ProjectPlace & PruneLimits,
  environment: Place = {},
): Promise<PruneOutcome> {
  const { cwd, clock } = completed(environment);
  return removeOldRuns(await locateRoot({ paths, config, root }, cwd), limits, clock);
}

/** Which cases of a finished run are shown. */
export interface WantedCases extends TestFilters {
  /** Only those that did not pass; there may be none. */
  failed?: boolean;
}

/**
 * A finished run with the wanted cases alone, and the suites that have any. Its summary, gates and verdict stay those of
 * the run. Fails if a filter names what the run does not have, or leaves nothing.
 */
export function selectFromRun(result: RunResult, { failed = false, ...filters }: WantedCases): Result<RunResult> {
  if (!failed && !choosesCases(filters)) return success(result);
  const all = result.suites.flatMap(({ tests }) => tests);
  const made = createCaseFilter(filters, {
    suites: result.suites.map(({ name }) => name),
    tags: [...new Set(all.flatMap(({ tags }) => tags))],
    models: [...new Set(all.map(({ model }) => model))],
  });
  if (!made.success) return made;
  const filter = made.data;
  const isWanted = ({ id, suite, tags, model }: TestResult): boolean =>
    filter.takesSuite(suite) && filter.takesTags(tags) && filter.takesModel(model) && filter.takesCase(id);
  const wanted = new Set(all.filter(isWanted));
  const { suites: inSuites = [], tests: patterns = [], tags = [], models = [] } = filters;
  const unmet = wanted.size === 0 ? [...inSuites, ...patterns, ...tags, ...models] : filter.unmet();
  if (unmet.length > 0) return failure(unmetPatterns(unmet, () => namesIn(all)));
  if (wanted.size === 0) return failure(noCaseLeft(filters.exclude ?? []));
  const suites = result.suites.flatMap((suite) => {
    const tests = (failed ? notPassed(suite) : suite.tests).filter((test) => wanted.has(test));
    return tests.length === 0 ? [] : [{ ...suite, tests }];
  });
  const shown = suites.reduce((sum, { tests }) => sum + tests.length, 0);
  return success(narrowed(result, suites, { shown, of: all.length }));
}

/** The ids of cases, and the parts of them that somebody may have meant, such as tests and rows. */
function namesIn(cases: readonly TestResult[]): readonly string[] {
  return [
    ...new Set(
      cases.flatMap(({ id, suite, name, row }) => [id, `${suite}/${name}`, name, ...(row === null ? [] : [row])]),
    ),
  ];
}

function noCaseLeft(exclude: readonly string[]): KindlmError {
  const message = `No case is left: each matches ${exclude.map((pattern) => `"${pattern}"`).join(" or ")}`;
  const hint = "Exclude fewer cases";
  return kindlmError("CONFIG_VALIDATION_ERROR", message, {
    details: { diagnostics: [{ code: "CONFIG_VALIDATION_ERROR", severity: "error", message, hint }] },
  });
}

/** What could not run, because its suite was broken, has not passed either. */
function notPassed({ status, tests }: SuiteResult): readonly TestResult[] {
  return status === "skipped" ? tests : tests.filter((test) => test.status === "errored" || test.status === "failed");
}

/** What is said of cases is limited to those of the suites. */
function narrowed(result: RunResult, suites: readonly SuiteResult[], selection: RunSelection): RunResult {
  const names = new Set(suites.map(({ name }) => name));
  const ids = suites.flatMap(({ tests }) => tests.map(({ id }) => id));
  const { comparison } = result;
  return {
    ...result,
    suites,
    selection,
    suiteSummaries: result.suiteSummaries.filter(({ suite }) => names.has(suite)),
    ...(comparison === undefined
      ? {}
      : {
          comparison: {
            ...comparison,
            suites: comparison.suites.flatMap((one) => comparedOf(one, names, new Set(ids))),
          },
        }),
    async *trials(caseId) {
      for (const id of caseId === undefined ? ids : [caseId]) yield* result.trials(id);
    },
  };
}

function comparedOf(one: SuiteComparison, names: ReadonlySet<string>, ids: ReadonlySet<string>): SuiteComparison[] {
  if (!names.has(one.suite)) return [];
  if (one.status !== "compared") return [one];
  const isShown = ({ caseId }: { caseId: string }): boolean => ids.has(caseId);
  return [
    {
      ...one,
      worse: one.worse.filter(isShown),
      better: one.better.filter(isShown),
      uncompared: one.uncompared.filter(isShown),
      added: one.added.filter((id) => ids.has(id)),
      changedChecks: one.changedChecks.filter((id) => ids.has(id)),
      removed: [],
    },
  ];
}
