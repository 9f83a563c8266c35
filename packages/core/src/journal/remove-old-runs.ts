import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../errors/boundary.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import { writeError } from "../files/store-error.js";
import { success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { describeRun, type RunListing } from "./describe-run.js";
import { listRunFolders, type RunFolder } from "./run-folder.js";
import { startOfRun } from "./run-id.js";
import { takeRunLock } from "./run-lock.js";

/** What may go. With both limits a run goes only when it is beyond both. */
export interface PruneLimits {
  /** So many of the newest runs stay. */
  keep?: number;
  /** Runs that began less than that ago stay. */
  olderThanMs?: number;
  /** Removes nothing, and says what would be. */
  dryRun?: boolean;
}

export interface PruneOutcome {
  removed: readonly RunListing[];
  /** Bytes that became free. */
  freedBytes: number;
  /** Why runs that should have gone are still there, one by one. */
  problems: readonly { id: string; error: KindlmError }[];
}

/**
 * Removes old runs, the oldest first. One that a process is at work on stays, and so does every folder whose name is
 * not the id of a run: somebody put it there.
 */
export async function removeOldRuns(root: string, limits: PruneLimits, clock: Clock): Promise<PruneOutcome> {
  const { keep = 0, olderThanMs, dryRun = false } = limits;
  const removed: RunListing[] = [];
  const problems: { id: string; error: KindlmError }[] = [];
  const folders = await ownRunFolders(root);
  for (const folder of folders.slice(keep).toReversed()) {
    const ageMs = clock.now() - (startOfRun(folder.id) ?? 0);
    if (olderThanMs !== undefined && ageMs < olderThanMs) continue;
    // One after the other: what is removed cannot be taken back.
    const listing = await describeRun(folder, clock);
    if (listing.state === "running") continue;
    const gone = dryRun ? success(undefined) : await removeRun(folder, clock);
    if (gone.success) removed.push(listing);
    else if (gone.error.code !== "STORE_LOCKED") problems.push({ id: folder.id, error: gone.error });
  }
  return { removed, freedBytes: removed.reduce((sum, { bytes }) => sum + bytes, 0), problems };
}

/**
 * Removes the oldest runs beyond `keep` (null: none), after a run has ended; a run without its own folder added none.
 * Looks at nothing but the names of the folders when there are not too many. What cannot be removed stays: no run
 * depends on it.
 */
export async function keepNewestRuns(
  root: string,
  keep: number | null,
  own: RunFolder | null,
  clock: Clock,
): Promise<void> {
  if (keep === null || own === null) return;
  const folders = await ownRunFolders(root);
  if (folders.length <= keep) return;
  for (const folder of folders.slice(keep)) {
    if (folder.id !== own.id) await removeRun(folder, clock);
  }
}

async function ownRunFolders(root: string): Promise<readonly RunFolder[]> {
  return (await listRunFolders(root)).filter(({ id }) => startOfRun(id) !== null);
}

/** Fails with STORE_LOCKED and STORE_WRITE_ERROR. The lock is removed last, so nobody resumes half a run. */
export async function removeRun(folder: RunFolder, clock: Clock): Promise<Result<void>> {
  const locked = await takeRunLock(folder.lock, folder.lock, clock);
  if (!locked.success) return locked;
  const removed = await attempt(
    async () => {
      const names = await readdir(folder.path);
      const files = names.map((name) => path.join(folder.path, name)).filter((file) => file !== folder.lock);
      await Promise.all(files.map((file) => rm(file, { recursive: true, force: true })));
    },
    (cause) => writeError(folder.path, cause),
  );
  await locked.data.release();
  if (!removed.success) return removed;
  return attempt(
    () => rm(folder.path, { recursive: true, force: true }),
    (cause) => writeError(folder.path, cause),
  );
}
