import pLimit from "p-limit";
import { locateRoot, type ProjectPlace } from "../config/locate-root.js";
import { describeRun, type RunListing } from "../journal/describe-run.js";
import type { LoadedRun } from "../journal/loaded-run.js";
import { readRun } from "../journal/read-run.js";
import { removeOldRuns, type PruneLimits, type PruneOutcome } from "../journal/remove-old-runs.js";
import { findRunFolder, listRunFolders } from "../journal/run-folder.js";
import { success, type Result } from "../result.js";
import type { Environment } from "../run/environment.js";
import { createSystemClock } from "../values/clock.js";
import { processDefaults } from "../values/process-defaults.js";

export type { RunListing, RunState } from "../journal/describe-run.js";
export type { LoadedRun } from "../journal/loaded-run.js";
export type { PruneLimits, PruneOutcome } from "../journal/remove-old-runs.js";

type Place = Pick<Environment, "cwd" | "clock">;

const completed = ({ clock = createSystemClock(), ...given }: Place) => ({ clock, ...processDefaults(given) });

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
  const { cwd } = completed(environment);
  return readRun(await locateRoot(project, cwd), run ?? null, cwd);
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
