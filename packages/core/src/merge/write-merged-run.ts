import path from "node:path";
import { idsOf } from "../engine/summary/cases-of.js";
import type { RunResult, SuiteResult } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import { writeAtomically } from "../files/write-atomically.js";
import { encodeRecord } from "../journal/encode-record.js";
import type { JournalHeader, JournalRecord } from "../journal/journal-record.js";
import { makeRunFolder, runFolderOf, type RunFolder } from "../journal/run-folder.js";
import { writeRunFile, type RunRules } from "../journal/run-file.js";
import { redacted, type RedactedText, type Redactor } from "../redaction/redactor.js";
import type { Result } from "../result.js";
import type { MergedTrials } from "./merged-trials.js";
import { attempt } from "../errors/boundary.js";
import { readError } from "../files/store-error.js";
import { durationsFile } from "../plan/shard/take-shard.js";
import { mostDurationsBytes, parseDurations, renderDurations, type Durations } from "../plan/shard/durations.js";
import { readText } from "../files/open-for-reading.js";

export interface MergedRun {
  header: JournalHeader;
  result: RunResult;
  rules: RunRules;
  haltedBy: string | null;
  trials: MergedTrials;
  /** Of each case in their order, milliseconds; NaN where no trial ran. */
  durationsMs: Float64Array;
}

/** Writes the folder of a merged run and what its cases took. The warnings say what could not be written. */
export async function writeMergedRun(
  merged: MergedRun,
  root: string,
  ports: { cwd: string; redactor: Redactor },
): Promise<readonly Diagnostic[]> {
  const written = await writeFolder(runFolderOf(root, merged.result.run.id), merged, ports);
  const measured = await writeDurations(durationsFile(root), merged.result.suites, measuredIn(merged), ports);
  return [written, measured].flatMap((outcome) =>
    outcome.success ? [] : [{ code: outcome.error.code, severity: "warning" as const, message: outcome.error.message }],
  );
}

/** The folder is then one as any other. Fails with STORE_WRITE_ERROR. */
async function writeFolder(
  folder: RunFolder,
  { header, result, rules, haltedBy, trials }: MergedRun,
  { cwd, redactor }: { cwd: string; redactor: Redactor },
): Promise<Result<void>> {
  const shown = (file: string): string => path.relative(cwd, file) || file;
  const { suites, trials: _left, ...head } = result;
  const encode = (record: JournalRecord): RedactedText => redacted`${encodeRecord(record, redactor)}\n`;
  async function* lines(): AsyncIterable<RedactedText> {
    yield encode(header);
    // One trial at a time is in memory.
    for await (const record of trials.records()) yield encode(record);
  }
  const made = await makeRunFolder(folder, shown(folder.path));
  if (!made.success) return made;
  const kept = await writeAtomically(folder.journal, shown(folder.journal), lines());
  if (!kept.success) return kept;
  return writeRunFile(folder.result, shown(folder.result), { head: { ...head, rules, haltedBy }, suites }, redactor);
}

/** Writes down how long the trials of each case took, so that the next run can be split evenly. */
async function writeDurations(
  file: string,
  suites: readonly Pick<SuiteResult, "name">[],
  measured: Iterable<readonly [string, number]>,
  { cwd, redactor }: { cwd: string; redactor: Pick<Redactor, "redactJson"> },
): Promise<Result<void>> {
  const text = await attempt(
    () => readText(file, mostDurationsBytes),
    (cause) => readError(file, cause),
  );
  const before = parseDurations(text.success ? text.data : "");
  const durations = updateDurations(before.success ? before.data : new Map(), suites, measured);
  return writeAtomically(file, path.relative(cwd, file) || file, redactedLines(renderDurations(durations), redactor));
}

function* measuredIn({ result, durationsMs }: MergedRun): Generator<readonly [string, number]> {
  let number = 0;
  for (const id of idsOf(result.suites)) {
    const durationMs = durationsMs[number] ?? Number.NaN;
    if (!Number.isNaN(durationMs)) yield [id, durationMs];
    number += 1;
  }
}

function* redactedLines(lines: Iterable<string>, { redactJson }: Pick<Redactor, "redactJson">): Iterable<RedactedText> {
  for (const line of lines) yield redactJson(line);
}

/** What is known of suites that were not run is kept; of the others only what is measured now. */
export function updateDurations(
  before: Durations,
  suites: readonly Pick<SuiteResult, "name">[],
  measured: Iterable<readonly [string, number]>,
): Durations {
  const names = suites.map(({ name }) => `${name}/`);
  const durations = new Map<string, number>();
  for (const [id, durationMs] of before) if (!names.some((name) => id.startsWith(name))) durations.set(id, durationMs);
  for (const [id, durationMs] of measured) durations.set(id, durationMs);
  return durations;
}
