import type {
  BaselineComparison,
  BaselineListing,
  RunsComparison,
  SetBaseline,
  SetBaselines,
  ShownBaseline,
} from "../baseline/baseline-report.js";
import type { BaselineHeader } from "../baseline/baseline.js";
import { decideBaselineUpdate } from "../baseline/decide-baseline-update.js";
import { setSuite } from "../baseline/set-suite.js";
import { compareWithRun, rulesOf } from "../baseline/compare-with-run.js";
import { compareWhenSet } from "../baseline/compare-when-set.js";
import { readListings, readShown, findPlaces } from "../baseline/list-baselines.js";
import { removeBaseline } from "../baseline/change-baseline.js";
import { withoutOnly } from "../config/without-only.js";
import { completeEnvironment, type Environment, type World } from "../run/environment.js";
import { attempt } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { messageOf } from "../errors/message-of.js";
import { readRun } from "../journal/read-run.js";
import { locateRoot, type ProjectPlace } from "../config/locate-root.js";
import { planRun } from "../plan/plan-run.js";
import { preparePlan } from "../run/prepare-plan.js";
import { failure, success, type Result } from "../result.js";
import { processDefaults } from "../values/process-defaults.js";
import { kindlmVersion } from "../version.js";
import { askGit, type GitPorts } from "../processes/ask-git.js";

export type { BaselineEntry, BaselineHeader } from "../baseline/baseline.js";
export type {
  BaselineComparison,
  BaselineListing,
  RunsComparison,
  SetBaseline,
  SetBaselines,
  ShownBaseline,
} from "../baseline/baseline-report.js";

/** Which run to save, and how. */
export interface SetBaselinesOptions extends ProjectPlace {
  /** The id of the run, the beginning of it or the path of its folder; default: the last run. */
  run?: string;
  /** Names of suites; default: all that ran. */
  suites?: readonly string[];
  /** Why, for those who read the file. */
  note?: string;
  /** Save the other cases if some errored; these keep their previous entries. */
  allowErrored?: boolean;
  /** Keep the answer of every case, and not only of those with a `drift` assertion. */
  withOutputs?: boolean;
  /** Take out the cases that the config has no more. */
  prune?: boolean;
  /** Only report what would change. */
  dryRun?: boolean;
  /** Pool the trials with those of the runs that are saved, where agent and check are the same. */
  add?: boolean;
}

/**
 * Saves the results of a finished run as the baseline of its suites. A case that the run says nothing about keeps its
 * entry. Fails with RUN_NOT_FOUND, STORE_CORRUPT and STORE_WRITE_ERROR, and with BASELINE_REFUSED for a shard, for
 * a run that was stopped, and where cases errored; with `prune` also where the config cannot be used,
 * and with `add` where no case of a suite can be pooled.
 */
export async function setBaselines(
  options: SetBaselinesOptions,
  environment: Environment = {},
): Promise<Result<SetBaselines>> {
  const world = completeEnvironment(environment);
  const { allowErrored = false, withOutputs = false, dryRun = false, add = false, suites: wanted = [], note } = options;
  const root = await locateRoot(options, world.cwd);
  const loaded = await readRun(root, options.run ?? null, world.cwd);
  if (!loaded.success) return loaded;
  const { result, findTrials } = loaded.data;
  const update = decideBaselineUpdate({ result, wanted, allowErrored });
  if (update.refusal !== null) return failure(update.refusal);
  const config = options.prune === true ? await loadCaseIds(options, world) : success(null);
  if (!config.success) return config;
  const sound = await findTrials();
  if (!sound.success) return sound;
  const { id: runId, seed, git } = result.run;
  const setAt = new Date(world.clock.now()).toISOString();
  const header: Omit<BaselineHeader, "suite"> = {
    setAt,
    kindlm: kindlmVersion,
    runId,
    seed,
    commit: git?.commit ?? null,
  };
  if (note !== undefined) header.note = note;
  const done: SetBaseline[] = [];
  for (const suite of update.suites) {
    const ids = config.data?.get(suite.name);
    const isGone = (caseId: string): boolean => ids?.has(caseId) === false;
    // One file after the other, so that the first failure ends it.
    const set = await setSuite(suite, { root, result, header, withOutputs, dryRun, add, isGone }, world);
    if (!set.success) return set;
    done.push(set.data);
  }
  const files = done.map(({ file }) => file);
  return success({ run: runId, suites: done, ignored: await findIgnored(files, world, root) });
}

/**
 * Compares a finished run with the current baselines. Fails with RUN_NOT_FOUND and STORE_CORRUPT, and with
 * BASELINE_NOT_FOUND where none of its suites has one.
 */
export async function compareWithBaselines(
  options: ProjectPlace & { run?: string },
  environment: Environment = {},
): Promise<Result<BaselineComparison>> {
  const { cwd, redactor, expectStoredTrials } = completeEnvironment(environment);
  const root = await locateRoot(options, cwd);
  const loaded = await readRun(root, options.run ?? null, cwd, expectStoredTrials);
  if (!loaded.success) return loaded;
  const { suites, agents = {}, trials: read, run } = loaded.data.result;
  const rules = rulesOf(loaded.data);
  const comparison = await compareWhenSet({ root, suites, agents, rules, read, redact: redactor.redact });
  if (comparison !== null) return success({ run: run.id, comparison });
  const suite = redactor.redact(suites[0]?.name ?? "");
  return failure(kindlmError("BASELINE_NOT_FOUND", "No suite of the run has a baseline", { details: { suite } }));
}

/**
 * Compares a finished run with an earlier one, as if that had been saved as its baseline. Cases that differ in the model
 * alone are the same where no other case is meant. Fails with RUN_NOT_FOUND and STORE_CORRUPT.
 */
export async function compareWithEarlier(
  options: ProjectPlace & { run?: string; earlier: string },
  environment: Environment = {},
): Promise<Result<RunsComparison>> {
  const { cwd, redactor, expectStoredTrials } = completeEnvironment(environment);
  const root = await locateRoot(options, cwd);
  const after = await readRun(root, options.run ?? null, cwd, expectStoredTrials);
  if (!after.success) return after;
  const before = await readRun(root, options.earlier, cwd);
  if (!before.success) return before;
  return attempt(
    () => compareWithRun({ root, before: before.data, after: after.data, redactor }),
    (cause) => kindlmError("STORE_CORRUPT", `The trials of the runs cannot be read: ${messageOf(cause)}`, { cause }),
  );
}

/** The baselines of a project. One that cannot be used is listed with its problem. */
export async function listBaselines(
  question: ProjectPlace,
  environment: Environment = {},
): Promise<Result<readonly BaselineListing[]>> {
  return readListings(await locateRoot(question, processDefaults(environment).cwd));
}

/** Returns the baseline of a suite. Fails with BASELINE_NOT_FOUND, BASELINE_CORRUPT and BASELINE_VERSION_MISMATCH. */
export async function showBaseline(
  { suite, ...question }: ProjectPlace & { suite: string },
  environment: Environment = {},
): Promise<Result<ShownBaseline>> {
  return readShown(await locateRoot(question, processDefaults(environment).cwd), suite);
}

/**
 * Removes the baselines of suites, those too that cannot be used, and gives the files. Fails with BASELINE_NOT_FOUND,
 * before anything is removed, and with STORE_WRITE_ERROR.
 */
export async function removeBaselines(
  { suites, dryRun = false, ...question }: ProjectPlace & { suites: readonly string[]; dryRun?: boolean },
  environment: Environment = {},
): Promise<Result<readonly string[]>> {
  const places = await findPlaces(await locateRoot(question, processDefaults(environment).cwd), suites);
  if (!places.success) return places;
  for (const place of dryRun ? [] : places.data) {
    // One file after the other, so that the first failure ends it.
    const removed = await removeBaseline(place);
    if (!removed.success) return removed;
  }
  return success(places.data.map(({ shown }) => shown));
}

/** The ids of all cases by suite, as in the files. Suites that are broken are left out: nobody knows their cases. */
async function loadCaseIds(
  question: ProjectPlace,
  world: World,
): Promise<Result<ReadonlyMap<string, ReadonlySet<string>>>> {
  const prepared = await preparePlan(question, world);
  if (!prepared.success) return prepared;
  const all = planRun(withoutOnly(prepared.data.config), question);
  if (!all.success) return all;
  const ids = new Map<string, Set<string>>();
  for (const suite of all.data.suites) if (suite.status === "ready") ids.set(suite.name, new Set());
  for (const { suite, id } of all.data.cases()) ids.get(suite)?.add(world.redactor.redact(id));
  return success(ids);
}

/** Of these files, relative to `cwd`, the ones that git leaves out of commits; none if git does not say. */
async function findIgnored(files: readonly string[], world: GitPorts, cwd: string): Promise<readonly string[]> {
  // Git fails if none is.
  const ignored = await askGit(
    ["check-ignore", "-z", "--stdin"],
    world,
    cwd,
    files.map((file) => `${file}\0`).join(""),
  );
  return (ignored ?? "").split("\0").filter((file) => file !== "");
}
