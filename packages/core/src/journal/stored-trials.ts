import type { TestResult, TrialResult } from "../engine/run-result.js";
import { success, type Result } from "../result.js";
import { trialRecordAt } from "./disk-trial-store.js";
import { isDecided } from "./earlier-records.js";
import type { LinePlace } from "./group-appender.js";
import type { TrialRecord } from "./journal-record.js";
import { createLineReader } from "./line-reader.js";
import { readJournal } from "./read-journal.js";
import { createTrialPlaces, type TrialPlaces } from "./trial-places.js";

/** The trials of a run that is over, in its journal. */
export interface StoredTrials {
  /** Finds them, once, however often it is asked. Fails with STORE_CORRUPT. */
  find(): Promise<Result<void>>;
  /** Those that the verdict of the case came from, in their order. Rejects where the journal is damaged. */
  read(test: TestResult): AsyncIterable<TrialResult>;
  /** The same, as the journal has them. */
  records(test: TestResult): AsyncIterable<TrialRecord>;
}

interface Found {
  places: TrialPlaces;
  /** Where the last session begins; 0 when the run was never resumed. */
  lastSession: number;
}

export function createStoredTrials(journal: string, shown: string): StoredTrials {
  const reader = createLineReader(journal);
  let finding: Promise<Result<Found>> | null = null;
  const find = async (): Promise<Result<Found>> => {
    const places = createTrialPlaces();
    let lastSession = 0;
    const read = await readJournal(journal, shown, (record, place) => {
      if (record.kind === "trial") places.put(record.trial.caseId, record.trial.trial, place);
      else if (record.kind === "session") lastSession = place.offset;
    });
    return read.success ? success({ places, lastSession }) : read;
  };
  const findOnce = (): Promise<Result<Found>> => (finding ??= find());
  const foundOrRejected = async (): Promise<Found> => {
    const found = await findOnce();
    return found.success ? found.data : Promise.reject(new Error(found.error.message));
  };

  async function* records(test: TestResult): AsyncIterable<TrialRecord> {
    if (test.status === "skipped") return;
    const { id, runs } = test;
    const { places, lastSession } = await foundOrRejected();
    const counting = recordsThatCount(places.of(id), { lastSession, runs }, (place) =>
      trialRecordAt(reader, place, id),
    );
    for await (const { record } of counting) yield record;
  }

  return {
    async find() {
      const found = await findOnce();
      return found.success ? success(undefined) : found;
    },
    async *read(test) {
      for await (const { trial } of records(test)) yield trial;
    },
    records,
  };
}

/** Those of the trials of a case that its verdict came from. `lastSession` is 0 if the run was never resumed. */
export async function* recordsThatCount(
  all: readonly LinePlace[],
  { lastSession, runs }: { lastSession: number; runs: number },
  recordAt: (place: LinePlace) => TrialRecord | Promise<TrialRecord>,
): AsyncIterable<{ record: TrialRecord; place: LinePlace }> {
  const latest = lastSession === 0 ? null : await recordOfLatest(all, recordAt);
  for (const place of all) {
    const record = await recordAt(place);
    if (latest === null || (record.trial.trial <= runs && countsBeside(latest, record, place, lastSession))) {
      yield { record, place };
    }
  }
}

async function recordOfLatest(
  all: readonly LinePlace[],
  recordAt: (place: LinePlace) => TrialRecord | Promise<TrialRecord>,
): Promise<TrialRecord | null> {
  const [place] = all.toSorted((a, b) => b.offset - a.offset);
  return place === undefined ? null : recordAt(place);
}

/**
 * Whether the last session of a run used a trial. Of an earlier one it did so unless the case has become another since,
 * or the trial was to be run again and never was.
 */
function countsBeside(latest: TrialRecord, { identity, trial }: TrialRecord, place: LinePlace, lastSession: number) {
  if (place.offset > lastSession) return true;
  const isSame = identity.agentHash === latest.identity.agentHash && identity.setupHash === latest.identity.setupHash;
  return isSame && isDecided(trial);
}
