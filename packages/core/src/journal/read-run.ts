import path from "node:path";
import { casesOf, idsOf } from "../engine/summary/cases-of.js";
import type { RunResult, TrialResult } from "../engine/run-result.js";
import { success, type Result } from "../result.js";
import { createIdTable } from "./id-table.js";
import type { LoadedRun } from "./loaded-run.js";
import { readJournalHeader } from "./read-journal.js";
import { readRunFile } from "./read-run-file.js";
import type { RunHead, StoredRun } from "./run-file.js";
import { findRunFolder } from "./run-folder.js";
import { createStoredTrials, type StoredTrials } from "./stored-trials.js";

/** A finished run with what it was judged by, which the types of the package do not show. */
export interface JudgedRun extends LoadedRun {
  /** What the run was judged by, and why not all of its cases were started. */
  judgedBy: Pick<RunHead, "rules" | "haltedBy">;
}

/**
 * Reads a finished run. The transcripts stay on the disk until they are asked for.
 *
 * @param root - the folder that contains `.kindlm`
 * @param wanted - the id of the run, the beginning of it or the path of its folder; null or `last` for the newest
 * @param cwd - what paths are relative to, in messages as well
 * @param expectTrials - receives how many trials the run has, before any of them is read
 * @returns RUN_NOT_FOUND where there is no such run, with `isUnfinished` when it never came to its end; STORE_CORRUPT
 */
export async function readRun(
  root: string,
  wanted: string | null,
  cwd: string,
  expectTrials: (count: number) => void = () => {},
): Promise<Result<JudgedRun>> {
  const found = await findRunFolder(root, wanted, cwd);
  if (!found.success) return found;
  const folder = found.data;
  const shown = (file: string): string => path.relative(cwd, file) || file;
  const stored = await readRunFile(folder.result, shown(folder.result), folder.id);
  if (!stored.success) return stored;
  const header = await readJournalHeader(folder.journal, shown(folder.journal));
  if (!header.success) return header;
  expectTrials(countTrials(stored.data));
  const trials = createStoredTrials(folder.journal, shown(folder.journal));
  const { rules, haltedBy } = stored.data.head;
  return success({
    result: toResult(stored.data, trials),
    judgedBy: { rules, haltedBy },
    paths: header.data.options.paths.map((written) => path.relative(cwd, path.resolve(root, written)) || "."),
    findTrials: trials.find,
  });
}

function countTrials({ suites }: StoredRun): number {
  const tests = suites.flatMap((suite) => suite.tests);
  return tests.reduce((sum, test) => sum + (test.status === "skipped" ? 0 : test.runs), 0);
}

function toResult({ head, suites }: StoredRun, trials: StoredTrials): RunResult {
  const { rules: _rules, haltedBy: _haltedBy, ...found } = head;
  const all = [...casesOf(suites)];
  let find: ((id: string) => number | null) | null = null;
  return {
    ...found,
    suites,
    async *trials(caseId): AsyncIterable<TrialResult> {
      if (caseId === undefined) {
        for (const test of all) yield* trials.read(test);
        return;
      }
      find ??= createIdTable(idsOf(suites), all.length, (index) => all[index]?.id);
      const test = all[find(caseId) ?? -1];
      if (test !== undefined) yield* trials.read(test);
    },
  };
}
