import type { SuiteResult, TrialResult } from "../engine/run-result.js";
import { trialRecordAt } from "../journal/disk-trial-store.js";
import type { LinePlace } from "../journal/group-appender.js";
import type { JournalHeader, TrialRecord } from "../journal/journal-record.js";
import { createLineReader } from "../journal/line-reader.js";
import { readJournal } from "../journal/read-journal.js";
import { createStoredTrials, type StoredTrials } from "../journal/stored-trials.js";
import { success, type Result } from "../result.js";

/** The trials of one shard, as its journal holds them. */
export interface PartTrials {
  header: JournalHeader;
  /** Those that the verdicts came from. */
  stored: StoredTrials;
  /** What was paid for and does not count: trials that were run again, or whose cases are no longer in the run. */
  spent(suites: readonly SuiteResult[]): AsyncIterable<TrialResult>;
}

/** Fails with STORE_CORRUPT. */
export async function loadPartTrials(journal: string, shown: string): Promise<Result<PartTrials>> {
  const latest = new Map<string, { place: LinePlace; caseId: string }>();
  const replaced: { place: LinePlace; caseId: string }[] = [];
  const read = await readJournal(journal, shown, (record, place) => {
    if (record.kind !== "trial") return;
    const key = keyOf(record);
    const before = latest.get(key);
    // The conversation of one that was only evaluated again was paid for once.
    if (before !== undefined && record.isRescored !== true) replaced.push(before);
    latest.set(key, { place, caseId: record.trial.caseId });
  });
  if (!read.success) return read;
  const reader = createLineReader(journal);
  const stored = createStoredTrials(journal, shown);
  return success({
    header: read.data.header,
    stored,
    async *spent(suites) {
      const left = new Map(latest);
      for (const test of suites.flatMap((suite) => suite.tests)) {
        // One trial at a time is in memory.
        for await (const record of stored.records(test)) left.delete(keyOf(record));
      }
      for (const { place, caseId } of [...replaced, ...left.values()]) {
        yield (await trialRecordAt(reader, place, caseId)).trial;
      }
    },
  });
}

function keyOf({ trial }: TrialRecord): string {
  return `${trial.trial}\n${trial.caseId}`;
}
