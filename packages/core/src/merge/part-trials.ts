import type { TestResult, TrialResult } from "../engine/run-result.js";
import { trialRecordAt } from "../journal/disk-trial-store.js";
import type { LinePlace } from "../journal/group-appender.js";
import type { TrialRecord } from "../journal/journal-record.js";
import { createLineReader } from "../journal/line-reader.js";
import { readJournal } from "../journal/read-journal.js";
import { recordsThatCount } from "../journal/stored-trials.js";
import { createTrialPlaces, type TrialPlaces } from "../journal/trial-places.js";
import { success, type Result } from "../result.js";

/** How much of a journal is read at once, bytes. The journals of many shards are read side by side. */
const windowBytes = 65_536;

/** The trials of one shard, as its journal holds them. Cases are known by their numbers in the shard. */
export interface PartTrials {
  /** Those that the verdict of the case came from. */
  records(index: number, test: TestResult): AsyncIterable<TrialRecord>;
  /** What was paid for and does not count: trials that were run again, or whose cases are no longer in the run. */
  spent(tests: Iterable<TestResult>): AsyncIterable<TrialResult>;
}

interface PlacedTrial {
  place: LinePlace;
  caseId: string;
}

/** `ids`: of all cases of the shard in their order. Fails with STORE_CORRUPT. */
export async function loadPartTrials(
  journal: string,
  shown: string,
  ids: Iterable<string>,
): Promise<Result<PartTrials>> {
  const found = await findTrials(journal, shown, ids);
  return found.success ? success(trialsAt(journal, found.data)) : found;
}

interface Found {
  places: TrialPlaces<number>;
  replaced: readonly PlacedTrial[];
  /** Trials of cases that are no longer in the run. */
  strangers: readonly PlacedTrial[];
  /** 0 if the run was never resumed. */
  lastSession: number;
}

/** The numbers of the cases by their ids are needed only here, and are gone afterwards. */
async function findTrials(journal: string, shown: string, ids: Iterable<string>): Promise<Result<Found>> {
  const numbers = new Map<string, number>();
  for (const id of ids) numbers.set(id, numbers.size);
  const places = createTrialPlaces(createHeads(numbers.size));
  const replaced: PlacedTrial[] = [];
  const strangers = new Map<string, PlacedTrial>();
  let lastSession = 0;
  const replace = (before: LinePlace | null, { trial, isRescored }: TrialRecord): void => {
    // The conversation of one that was only evaluated again was paid for once.
    if (before !== null && isRescored !== true) replaced.push({ place: before, caseId: trial.caseId });
  };
  const read = await readJournal(journal, shown, (record, place) => {
    if (record.kind === "session") lastSession = place.offset;
    if (record.kind !== "trial") return;
    const { caseId, trial } = record.trial;
    const number = numbers.get(caseId);
    if (number !== undefined) {
      // In one session a trial runs once.
      if (lastSession > 0) replace(places.find(number, trial), record);
      places.put(number, trial, place);
      return;
    }
    const key = `${trial}\n${caseId}`;
    replace(strangers.get(key)?.place ?? null, record);
    strangers.set(key, { place, caseId });
  });
  if (!read.success) return read;
  return success({ places, replaced, strangers: [...strangers.values()], lastSession });
}

function trialsAt(journal: string, { places, replaced, strangers, lastSession }: Found): PartTrials {
  const reader = createLineReader(journal, windowBytes);
  const counting = (index: number, { id, runs }: { id: string; runs: number }) =>
    recordsThatCount(places.of(index), { lastSession, runs }, (place) => trialRecordAt(reader, place, id));
  const left = async function* (tests: Iterable<TestResult>): AsyncIterable<PlacedTrial> {
    let index = -1;
    for (const test of tests) {
      index += 1;
      // Of a run that was never resumed, all trials of its cases count.
      if (lastSession === 0 && test.status !== "skipped") continue;
      const counted = new Set<number>();
      if (test.status !== "skipped") for await (const { place } of counting(index, test)) counted.add(place.offset);
      for (const place of places.of(index)) if (!counted.has(place.offset)) yield { place, caseId: test.id };
    }
  };
  return {
    async *records(index, test) {
      if (test.status === "skipped") return;
      for await (const { record } of counting(index, test)) yield record;
    },
    async *spent(tests) {
      const recordAt = async ({ place, caseId }: PlacedTrial) => (await trialRecordAt(reader, place, caseId)).trial;
      for (const one of [...replaced, ...strangers]) yield await recordAt(one);
      for await (const one of left(tests)) yield await recordAt(one);
    },
  };
}

/** The last entry of each case by its number; four bytes each. */
function createHeads(count: number): { get(key: number): number | undefined; set(key: number, entry: number): void } {
  const heads = new Int32Array(count).fill(-1);
  return {
    get: (key) => heads[key],
    set: (key, entry) => void (heads[key] = entry),
  };
}
