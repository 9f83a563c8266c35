import path from "node:path";
import { kindlmError } from "../errors/kindlm-error.js";
import { choosesCases } from "../plan/case-filter.js";
import { failure, success, type Result } from "../result.js";
import type { RunSessions, RunTestsOptions } from "../plan/run-options.js";
import type { Clock } from "../values/clock.js";
import { EarlierRecords } from "./earlier-records.js";
import type { JournalHeader, StoredOptions } from "./journal-record.js";
import { readJournal } from "./read-journal.js";
import { findRunFolder, type RunFolder } from "./run-folder.js";
import { takeRunLock, type RunLock } from "./run-lock.js";

/** A run that goes on: what it is, and what it found out so far. */
export interface EarlierRun {
  folder: RunFolder;
  header: JournalHeader;
  records: EarlierRecords;
  /** Where its journal goes on, in bytes. */
  wholeBytes: number;
  /** Null where the folder cannot be written. */
  lock: RunLock | null;
  /** What it was asked for, now and before. */
  sessions: RunSessions;
}

/**
 * Finds the run that is to go on, keeps others from it and reads its journal. Fails with RUN_NOT_FOUND, STORE_LOCKED
 * and STORE_CORRUPT.
 */
export async function loadEarlierRun(
  root: string,
  { resume = "last", filters }: Pick<RunTestsOptions, "resume" | "filters">,
  { cwd, clock }: { cwd: string; clock: Clock },
): Promise<Result<EarlierRun>> {
  const found = await findRunFolder(root, resume, cwd);
  if (!found.success) return found;
  const folder = found.data;
  const shown = (file: string): string => path.relative(cwd, file) || file;
  const taken = await takeRunLock(folder.lock, shown(folder.lock), clock);
  if (!taken.success && taken.error.code === "STORE_LOCKED") return taken;
  const lock = taken.success ? taken.data : null;
  const records = new EarlierRecords();
  const read = await readJournal(folder.journal, shown(folder.journal), (record, place) => records.add(record, place));
  const asked = filters !== undefined && choosesCases(filters) ? filters : null;
  if (read.success)
    return success({ folder, records, lock, sessions: { asked, before: records.filters }, ...read.data });
  await lock?.release();
  return read;
}

/** What a run was asked to do, as far as it is the same each time it goes on. */
export function storedOptions(options: RunTestsOptions, root: string, cwd: string): StoredOptions {
  const { paths = [], config: _config, root: _root, resume: _resume, rerunFailed: _rerun, ci: _ci, ...kept } = options;
  const inRoot = (written: string): string => path.relative(root, path.resolve(cwd, written)) || ".";
  const { shardDurations } = kept;
  const durations = shardDurations === undefined ? {} : { shardDurations: inRoot(shardDurations) };
  return { ...kept, ...durations, paths: paths.map(inRoot) };
}

/**
 * The options of a resumed run: those that it was started with, overridden by those given now. Filters
 * are replaced together, since nobody would expect a mix of both.
 */
export function resumedOptions(
  options: RunTestsOptions,
  { options: stored, seed, files }: JournalHeader,
  root: string,
): Result<RunTestsOptions> {
  const { paths = [], filters, ...given } = options;
  const isElsewhere = paths.length > 0 || given.config !== undefined;
  if (files.length === 0 && !isElsewhere) return refuse("with a config object, and needs it again as config");
  const durations = stored.shardDurations;
  const merged: RunTestsOptions = {
    ...stored,
    ...(durations === undefined ? {} : { shardDurations: path.resolve(root, durations) }),
    ...given,
    paths: isElsewhere ? paths : stored.paths.map((written) => path.resolve(root, written)),
  };
  const now = choosesCases(filters) ? filters : stored.filters;
  if (now !== undefined) merged.filters = now;
  const begunAs = stored.shard === undefined ? "as a whole" : `as shard ${stored.shard.index}/${stored.shard.of}`;
  const { shard = stored.shard } = options;
  if (shard?.index !== stored.shard?.index || shard?.of !== stored.shard?.of)
    return refuse(`${begunAs}, and cannot continue as another part`);
  if (options.seed === undefined || options.seed === seed) return success(merged);
  return refuse(`with the seed ${seed}, and cannot continue with another`);
}

function refuse(how: string): Result<never> {
  return failure(kindlmError("CONFIG_VALIDATION_ERROR", `The run was started ${how}`));
}
