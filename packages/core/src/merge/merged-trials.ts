import { RunTally } from "../engine/summary/run-tally.js";
import { casesOf, idsOf } from "../engine/summary/cases-of.js";
import { suiteOfCase } from "../engine/summary/suite-of-case.js";
import type { TrialResult } from "../engine/run-result.js";
import type { RunTotals, SettledProvider, SuiteTotals } from "../summary/run-totals.js";
import { attempt } from "../errors/boundary.js";
import { readError } from "../files/store-error.js";
import { createIdTable } from "../journal/id-table.js";
import type { TrialRecord } from "../journal/journal-record.js";
import type { Result } from "../result.js";
import type { JoinedSuite, SuitePart } from "./join-suites.js";
import type { PartTrials } from "./part-trials.js";

/** A shard with the cases that it ran. */
export interface TrialPart extends SuitePart {
  trials: PartTrials;
}

/** The trials of all shards. */
export interface MergedTrials {
  /** Of a case, by its id. Rejects where a journal is damaged. */
  read(caseId: string): AsyncIterable<TrialResult>;
  /** Of all cases in their order. Rejects where a journal is damaged. */
  records(): AsyncIterable<TrialRecord>;
  /** Reads all trials again. Fails with STORE_CORRUPT. */
  measure(settled: readonly SettledProvider[]): Promise<Result<Measured>>;
}

export interface Measured {
  totals: RunTotals;
  suiteTotals: ReadonlyMap<string, SuiteTotals>;
  /** How long the trials of each case took together, milliseconds; NaN where none ran. In the order of the cases. */
  durationsMs: Float64Array;
}

export function createMergedTrials(parts: readonly TrialPart[], joined: readonly JoinedSuite[]): MergedTrials {
  const suites = joined.map(({ suite }) => suite);
  const starts = parts.map(startsOf);
  const cases = suites.reduce((sum, { tests }) => sum + tests.length, 0);

  /** Of the case at a place of a suite. */
  async function* recordsAt({ suite, parts: owners, indexes }: JoinedSuite, place: number): AsyncIterable<TrialRecord> {
    const owner = owners[place] ?? 0;
    const index = (starts[owner]?.get(suite.name) ?? 0) + (indexes[place] ?? 0);
    const test = suite.tests[place];
    const part = parts[owner];
    if (test !== undefined && part !== undefined) yield* part.trials.records(index, test);
  }

  async function* all(): AsyncIterable<{ record: TrialRecord; suite: string; number: number }> {
    let number = 0;
    for (const one of joined) {
      for (let place = 0; place < one.indexes.length; place += 1) {
        // One trial at a time is in memory.
        for await (const record of recordsAt(one, place)) yield { record, suite: one.suite.name, number };
        number += 1;
      }
    }
  }

  const at = (number: number | null): Place | null => (number === null ? null : placeOf(joined, number));
  let find: ((id: string) => number | null) | null = null;
  return {
    async *read(caseId) {
      find ??= createIdTable(idsOf(suites), cases, (number) => idAt(at(number)));
      const found = at(find(caseId));
      if (found !== null) for await (const { trial } of recordsAt(found.one, found.place)) yield trial;
    },
    async *records() {
      for await (const { record } of all()) yield record;
    },
    measure(settled) {
      const tally = new RunTally();
      const durationsMs = new Float64Array(cases).fill(Number.NaN);
      return attempt(
        async () => {
          // In the order of the cases, as if one machine had run them one by one.
          for await (const { record, suite, number } of all()) {
            tally.add(record.trial, suite);
            durationsMs[number] = (durationsMs[number] || 0) + record.trial.durationMs;
          }
          const names = suites.map(({ name }) => name);
          for (const part of parts) {
            // One trial at a time is in memory.
            for await (const trial of part.trials.spent(casesOf(part.suites))) {
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

/** The number of the first case of each suite of a shard. */
function startsOf({ suites }: SuitePart): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  let next = 0;
  for (const { name, tests } of suites) {
    starts.set(name, next);
    next += tests.length;
  }
  return starts;
}

interface Place {
  one: JoinedSuite;
  place: number;
}

function idAt(found: Place | null): string | undefined {
  return found?.one.suite.tests[found.place]?.id;
}

function placeOf(joined: readonly JoinedSuite[], number: number): Place | null {
  let place = number;
  for (const one of joined) {
    if (place < one.indexes.length) return { one, place };
    place -= one.indexes.length;
  }
  return null;
}
