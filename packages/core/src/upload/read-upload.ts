import path from "node:path";
import { locateRoot, type ProjectPlace } from "../config/locate-root.js";
import { casesOf, idsOf } from "../engine/summary/cases-of.js";
import type { TrialResult } from "../engine/run-result.js";
import { attempt } from "../errors/boundary.js";
import { readError } from "../files/store-error.js";
import { findRunFolder } from "../journal/run-folder.js";
import { readRun } from "../journal/read-run.js";
import { loadPartTrials } from "../merge/part-trials.js";
import { success, type Result } from "../result.js";
import type { UploadedRun } from "./describe-run.js";

/**
 * Reads a finished run for an upload.
 *
 * @param wanted - the id of the run or the beginning of it; null or `last` for the newest
 * @returns RUN_NOT_FOUND if there is no such run, with `isUnfinished` if it never came to its end; STORE_CORRUPT
 */
export async function readUpload(
  wanted: string | null,
  options: ProjectPlace,
  cwd: string,
): Promise<Result<UploadedRun>> {
  const root = await locateRoot(options, cwd);
  const found = await findRunFolder(root, wanted, cwd);
  if (!found.success) return found;
  const loaded = await readRun(root, found.data.id, cwd);
  if (!loaded.success) return loaded;
  const { result, judgedBy } = loaded.data;
  const shown = path.relative(cwd, found.data.journal) || found.data.journal;
  const trials = await loadPartTrials(found.data.journal, shown, idsOf(result.suites));
  if (!trials.success) return trials;
  const spent: TrialResult[] = [];
  const read = await attempt(
    async () => {
      // Few: those that a resumed run repeated.
      for await (const trial of trials.data.spent(casesOf(result.suites))) spent.push(trial);
    },
    (cause) => readError(shown, cause),
  );
  return read.success ? success({ result, ...judgedBy, spent }) : read;
}
