import path from "node:path";
import { readRunFile, type StoredRun } from "../journal/run-file.js";
import type { RunFolder } from "../journal/run-folder.js";
import { success, type Result } from "../result.js";
import type { MergeCandidate } from "./decide-merge.js";
import type { NamedFolder } from "./find-run-folders.js";
import { loadPartTrials, type PartTrials } from "./part-trials.js";

/** A run folder with everything in it that a merge needs. */
export interface LoadedCandidate extends MergeCandidate {
  folder: RunFolder;
  /** Null where the run never came to its end. */
  run: StoredRun | null;
  trials: PartTrials;
}

/** Reads the run folders. Fails with STORE_CORRUPT; an unfinished run is not a failure yet. */
export async function loadCandidates(
  folders: readonly NamedFolder[],
  cwd: string,
): Promise<Result<readonly LoadedCandidate[]>> {
  const candidates: LoadedCandidate[] = [];
  for (const { folder, isNamed } of folders) {
    // One by one: each may be large.
    const loaded = await loadCandidate(folder, cwd);
    if (!loaded.success) return loaded;
    // A folder that keeps all runs of a project holds whole ones too; nobody asked for those.
    if (loaded.data.shard !== null || isNamed) candidates.push(loaded.data);
  }
  return success(candidates);
}

async function loadCandidate(folder: RunFolder, cwd: string): Promise<Result<LoadedCandidate>> {
  const shownOf = (file: string): string => path.relative(cwd, file) || file;
  const trials = await loadPartTrials(folder.journal, shownOf(folder.journal));
  if (!trials.success) return trials;
  const { header } = trials.data;
  const read = await readRunFile(folder.result, shownOf(folder.result), header.runId);
  if (!read.success && read.error.code !== "RUN_NOT_FOUND") return read;
  const run = read.success ? read.data : null;
  return success({
    shown: shownOf(folder.path),
    id: header.runId,
    kindlm: header.kindlm,
    shard: header.options.shard ?? null,
    folder,
    run,
    trials: trials.data,
  });
}
