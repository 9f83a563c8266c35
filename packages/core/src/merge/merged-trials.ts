import { RunTally } from "../engine/summary/run-tally.js";
import { suiteOfCase } from "../engine/summary/suite-of-case.js";
import type { SuiteResult, TestResult, TrialResult } from "../engine/run-result.js";
import type { RunTotals, SettledProvider, SuiteTotals } from "../summary/run-totals.js";
import { attempt } from "../errors/boundary.js";
import { readError } from "../files/store-error.js";
import type { TrialRecord } from "../journal/journal-record.js";
import type { Result } from "../result.js";
import type { PartTrials } from "./part-trials.js";

/** A shard with the cases that it ran. */
export interface TrialPart {
  shown: string;
  trials: PartTrials;
  suites: readonly SuiteResult[];
}

/** The trials of all shards. */
export interface MergedTrials {
  /** Rejects where a journal is damaged. */
  read(caseId: string): AsyncIterable<TrialResult>;
  records(caseId: string): AsyncIterable<TrialRecord>;
  /** Reads all trials again. Fails with STORE_CORRUPT. */
  measure(suites: readonly SuiteResult[], settled: readonly SettledProvider[]): Promise<Result<Measured>>;
}

export interface Measured {
  totals: RunTotals;
  suiteTotals: ReadonlyMap<string, SuiteTotals>;
  /** How long the trials of each case took together, milliseconds. */
  durationsMs: ReadonlyMap<string, number>;
}

export function createMergedTrials(parts: readonly TrialPart[]): MergedTrials {
  const owners = new Map<string, { part: TrialPart; test: TestResult }>();
  for (const part of parts) {
    for (const test of part.suites.flatMap((suite) => suite.tests)) owners.set(test.id, { part, test });
  }
  async function* records(caseId: string): AsyncIterable<TrialRecord> {
    const owner = owners.get(caseId);
    if (owner !== undefined) yield* owner.part.trials.stored.records(owner.test);
  }
  return {
    records,
    async *read(caseId) {
      for await (const { trial } of records(caseId)) yield trial;
    },
    measure(suites, settled) {
      const tally = new RunTally();
      const durationsMs = new Map<string, number>();
      return attempt(
        async () => {
          // In the order of the cases, as if one machine had run them one by one.
          for (const { id, suite } of suites.flatMap(({ tests }) => tests)) {
            // One trial at a time is in memory.
            for await (const { trial } of records(id)) {
              tally.add(trial, suite);
              durationsMs.set(id, (durationsMs.get(id) ?? 0) + trial.durationMs);
            }
          }
          const names = suites.map(({ name }) => name);
          for (const part of parts) {
            // One trial at a time is in memory.
            for await (const trial of part.trials.spent(part.suites)) {
              tally.addSpent(trial, suiteOfCase(trial.caseId, names));
            }
          }
          return { totals: tally.summarize(settled), suiteTotals: tally.ofSuites(), durationsMs };
        },
        (cause) => readError(parts.map((part) => part.shown).join(", "), cause),
      );
    },
  };
}
