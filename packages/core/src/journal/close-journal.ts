import path from "node:path";
import type { RunResult } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { Redactor } from "../redaction/redactor.js";
import type { Journal } from "./open-journal.js";
import { writeRunFile, type RunRules } from "./run-file.js";

export interface ClosingRun {
  rules: RunRules;
  haltedBy: string | null;
  /** Why finished trials could not be kept; null when they could. */
  storeError: KindlmError | null;
  cwd: string;
  redactor: Redactor;
}

/**
 * Writes down what the run found out and lets go of its folder. The warnings say what could not be written; there is at
 * most one, since all of it goes to one disk.
 */
export async function closeJournal(
  journal: Journal,
  { suites, trials: _left, ...head }: RunResult,
  { rules, haltedBy, storeError, cwd, redactor }: ClosingRun,
): Promise<readonly Diagnostic[]> {
  const { folder } = journal;
  const problem = (await journal.problem()) ?? storeError;
  const written =
    folder === null || problem !== null
      ? null
      : await writeRunFile(
          folder.result,
          path.relative(cwd, folder.result),
          { head: { ...head, rules, haltedBy }, suites },
          redactor,
        );
  await journal.close();
  const failed = problem ?? (written?.success === false ? written.error : null);
  if (failed === null) return [];
  const hint = "The run went on without its journal: it can neither be resumed nor reported again";
  return [{ code: failed.code, severity: "warning", message: failed.message, hint }];
}
