import { rm } from "node:fs/promises";
import { createMemoryTrialStore } from "../engine/memory-trial-store.js";
import type { EarlierTrials, EffectGuard, TrialStore } from "../engine/ports.js";
import { attempt } from "../errors/boundary.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import { writeError } from "../files/store-error.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import type { Redactor } from "../redaction/redactor.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { createEffectGuard } from "./create-effect-guard.js";
import { createDiskTrialStore } from "./disk-trial-store.js";
import type { EarlierRun } from "./earlier-run.js";
import { lineOf } from "./encode-record.js";
import { openGroupAppender, type GroupAppender } from "./group-appender.js";
import type { JournalHeader, JournalRecord, SessionRecord, TrialIdentity } from "./journal-record.js";
import { createLineReader } from "./line-reader.js";
import { writeRunFile, type StoredRun } from "./run-file.js";
import { makeRunFolder, runFolderOf, type RunFolder } from "./run-folder.js";
import { takeRunLock, type RunLock } from "./run-lock.js";
import { createTrialPlaces } from "./trial-places.js";

export interface JournalPorts {
  clock: Clock;
  redactor: Redactor;
  identify(planned: PlannedCase): TrialIdentity;
  /** How messages name a file. */
  shown(file: string): string;
}

/** Where a run keeps its trials while it goes on. */
export interface Journal {
  trials: TrialStore;
  /** Absent when the run begins. */
  earlier?: EarlierTrials;
  /** Absent when nothing is to be kept. */
  effects?: EffectGuard;
  /** Null when nothing is to be kept. */
  folder: RunFolder | null;
  /** Writes down what the run found out. Fails with STORE_WRITE_ERROR. */
  writeResult(run: StoredRun): Promise<Result<void>>;
  /** Lets go of the folder. */
  close(): Promise<void>;
}

/**
 * Opens the journal of a run that begins, or goes on. Never fails: a run does not depend on what it keeps, nor does it
 * wait for the disk before its first trial has ended.
 */
export function openJournal(
  { root, seed }: Pick<RunPlan, "root" | "seed">,
  header: JournalHeader,
  earlier: EarlierRun | null,
  ports: JournalPorts,
): Journal {
  const folder = earlier?.folder ?? runFolderOf(root, header.runId);
  const opening = openFiles(folder, header, earlier, ports);
  const appender = createLateAppender(opening);
  const reader = createLineReader(folder.journal);
  const places = createTrialPlaces();
  const write = (record: JournalRecord): Promise<Result<void>> => append(appender, record);
  const journal: Journal = {
    trials: createDiskTrialStore({ ...ports, appender, reader, places }),
    effects: createEffectGuard({ ...ports, earlier: earlier?.records.effects ?? null, reader, write }),
    folder,
    async writeResult(run) {
      const opened = await opening;
      if (!opened.success) return opened;
      return writeRunFile(folder.result, ports.shown(folder.result), run, ports.redactor);
    },
    async close() {
      const opened = await opening;
      await appender.close();
      await (opened.success ? opened.data.lock : earlier?.lock)?.release();
    },
  };
  if (earlier !== null) {
    const onTaken = (planned: PlannedCase, trial: number, place: { offset: number; length: number }): void =>
      places.put(planned.id, trial, place);
    // Everything random comes from the seed, so that no trial would be the same with another.
    const isReusable = earlier.header.seed === seed;
    const { redact } = ports.redactor;
    journal.earlier = earlier.records.toTrials({ isReusable, ...ports, redact, reader, onTaken });
  }
  return journal;
}

interface OpenFiles {
  appender: GroupAppender;
  lock: RunLock | null;
}

async function openFiles(
  folder: RunFolder,
  header: JournalHeader,
  earlier: EarlierRun | null,
  ports: JournalPorts,
): Promise<Result<OpenFiles>> {
  const { clock } = ports;
  const asked = earlier?.sessions.asked ?? null;
  const shown = ports.shown(folder.journal);
  const made = await makeRunFolder(folder, shown);
  if (!made.success) return made;
  const locked = earlier === null ? await takeRunLock(folder.lock, shown, clock) : success(earlier.lock);
  if (!locked.success) return locked;
  const opened = await openGroupAppender(folder.journal, shown, earlier?.wholeBytes ?? 0, ports);
  if (opened.success) {
    const session: SessionRecord = { kind: "session", at: clock.now() };
    if (asked !== null) session.filters = asked;
    const first = earlier === null ? header : session;
    const begun = await append(opened.data, first);
    if (begun.success) {
      // The run determines its results again; if it is cut off again, no old result may remain.
      if (earlier !== null) await removeQuietly(folder.result);
      return success({ appender: opened.data, lock: locked.data });
    }
    await opened.data.close();
    await locked.data?.release();
    return begun;
  }
  await locked.data?.release();
  return opened;
}

async function removeQuietly(file: string): Promise<void> {
  await attempt(
    () => rm(file, { force: true }),
    (cause) => writeError(file, cause),
  );
}

async function append(appender: GroupAppender, record: JournalRecord): Promise<Result<void>> {
  const written = await appender.append(lineOf(record), "now");
  return written.success ? success(undefined) : written;
}

/** The journal of a run that is asked to keep none, or only its trials elsewhere. */
export function noJournal(trials: TrialStore = createMemoryTrialStore()): Journal {
  return {
    trials,
    folder: null,
    writeResult: () => Promise.resolve(success(undefined)),
    close: () => Promise.resolve(),
  };
}

/** Takes lines before the file is open. */
function createLateAppender(opening: Promise<Result<OpenFiles>>): GroupAppender {
  let opened: GroupAppender | null = null;
  const ready = opening.then((files) => (opened = files.success ? files.data.appender : brokenAppender(files.error)));
  return {
    append: (line, urgency) =>
      opened === null ? ready.then((appender) => appender.append(line, urgency)) : opened.append(line, urgency),
    flush: async () => (await ready).flush(),
    close: async () => (await ready).close(),
  };
}

function brokenAppender(problem: KindlmError): GroupAppender {
  const broken = failure(problem);
  return {
    append: () => Promise.resolve(broken),
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
