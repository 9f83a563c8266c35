import path from "node:path";
import type { RunResult } from "../engine/run-result.js";
import { writeAtomically } from "../files/write-atomically.js";
import { encodeRecord } from "../journal/encode-record.js";
import type { JournalHeader, JournalRecord } from "../journal/journal-record.js";
import { makeRunFolder } from "../journal/make-run-folder.js";
import { writeRunFile, type RunRules } from "../journal/run-file.js";
import type { RunFolder } from "../journal/run-folder.js";
import { redacted, type RedactedText, type Redactor } from "../redaction/redactor.js";
import type { Result } from "../result.js";
import type { MergedTrials } from "./merged-trials.js";

export interface MergedRun {
  header: JournalHeader;
  result: RunResult;
  rules: RunRules;
  haltedBy: string | null;
  trials: MergedTrials;
  durationsMs: ReadonlyMap<string, number>;
}

/** Writes the folder of a merged run, which is then one as any other. Fails with STORE_WRITE_ERROR. */
export async function writeMergedRun(
  folder: RunFolder,
  { header, result, rules, haltedBy, trials }: MergedRun,
  { cwd, redactor }: { cwd: string; redactor: Redactor },
): Promise<Result<void>> {
  const shown = (file: string): string => path.relative(cwd, file) || file;
  const { suites, trials: _left, ...head } = result;
  const encode = (record: JournalRecord): RedactedText => redacted`${encodeRecord(record, redactor)}\n`;
  async function* lines(): AsyncIterable<RedactedText> {
    yield encode(header);
    for (const { id } of suites.flatMap((suite) => suite.tests)) {
      // One trial at a time is in memory.
      for await (const record of trials.records(id)) yield encode(record);
    }
  }
  const made = await makeRunFolder(folder, shown(folder.path));
  if (!made.success) return made;
  const kept = await writeAtomically(folder.journal, shown(folder.journal), lines());
  if (!kept.success) return kept;
  return writeRunFile(folder.result, shown(folder.result), { head: { ...head, rules, haltedBy }, suites }, redactor);
}
