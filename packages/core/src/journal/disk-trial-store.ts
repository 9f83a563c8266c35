import { createMemoryTrialStore } from "../engine/memory-trial-store.js";
import type { TrialOrigin, TrialStore } from "../engine/ports.js";
import type { TrialResult } from "../engine/run-result.js";
import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { success, type Result } from "../result.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { Clock } from "../values/clock.js";
import { decodeRecord, reviveTrial } from "./decode-record.js";
import { lineOf } from "./encode-record.js";
import type { GroupAppender, LinePlace } from "./group-appender.js";
import type { TrialIdentity, TrialRecord } from "./journal-record.js";
import type { LineReader } from "./line-reader.js";
import type { TrialPlaces } from "./trial-places.js";

export interface DiskTrialPorts {
  appender: GroupAppender;
  reader: LineReader;
  places: TrialPlaces;
  clock: Clock;
  identify(planned: PlannedCase): TrialIdentity;
}

/** Keeps the finished trials of a run in its journal. What cannot be written is kept in memory, for the reports. */
export function createDiskTrialStore(ports: DiskTrialPorts): TrialStore {
  const { appender, reader, places, clock, identify } = ports;
  let unwritten: TrialStore | null = null;
  const keep = (trial: TrialResult, planned: PlannedCase, origin: TrialOrigin): void => {
    unwritten ??= createMemoryTrialStore();
    void unwritten.append(trial, planned, origin);
  };
  /** Holds nothing of the trial but its line while it waits for the disk, so that the rest can be collected. */
  const writeLine = async (
    line: string,
    trial: number,
    planned: PlannedCase,
    origin: TrialOrigin,
  ): Promise<Result<void>> => {
    const written = await appender.append(line, "soon");
    if (written.success) {
      places.put(planned.id, trial, written.data);
      return success(undefined);
    }
    const record = decodeRecord(line);
    if (record.success && record.data.kind === "trial") keep(reviveTrial(record.data.trial), planned, origin);
    return written;
  };
  return {
    append(trial, planned, origin) {
      const { agentHash, setupHash, scoringHash, codeHash } = identify(planned);
      const identity: TrialIdentity = { agentHash, setupHash, scoringHash };
      if (codeHash !== undefined) identity.codeHash = codeHash;
      const record: TrialRecord = { kind: "trial", at: clock.now(), identity, trial };
      if (origin === "rescore") record.isRescored = true;
      const line = attemptSync(
        () => lineOf(record),
        (cause) => tooLarge(planned.id, trial.trial, cause),
      );
      if (line.success) return writeLine(line.data, trial.trial, planned, origin);
      keep(trial, planned, origin);
      return line;
    },
    flush: () => appender.flush(),
    async *read(caseId) {
      await appender.flush();
      if (unwritten === null) {
        for (const place of places.of(caseId)) {
          yield await trialAt(reader, place, caseId);
        }
        return;
      }
      const trials = new Map<number, TrialResult>();
      for (const place of places.of(caseId)) {
        const trial = await trialAt(reader, place, caseId);
        trials.set(trial.trial, trial);
      }
      for await (const trial of unwritten.read(caseId)) trials.set(trial.trial, trial);
      yield* [...trials.values()].toSorted((a, b) => a.trial - b.trial);
    },
  };
}

/** V8 has no text that holds more than half a gigabyte. */
function tooLarge(caseId: string, trial: number, cause: unknown) {
  const message = `Cannot write trial ${trial} of ${caseId} to the journal: ${messageOf(cause)}`;
  return kindlmError("STORE_WRITE_ERROR", message, { cause });
}

/** Rejects where the journal is damaged: an iterator has no other way to say that it cannot go on. */
async function trialAt(reader: LineReader, place: LinePlace, caseId: string): Promise<TrialResult> {
  const record = await trialRecordAt(reader, place, caseId);
  return { ...record.trial, caseId };
}

/** As it was when it was written. Rejects where the journal is damaged. */
export function trialRecordAt(reader: LineReader, place: LinePlace, caseId: string): TrialRecord | Promise<never> {
  const line = reader.read(place);
  if (!line.success) return Promise.reject(new Error(line.error.message));
  const record = decodeRecord(line.data);
  if (!record.success || record.data.kind !== "trial") {
    return Promise.reject(new Error(`The journal is damaged at case ${caseId}`));
  }
  return { ...record.data, trial: reviveTrial(record.data.trial) };
}
