import path from "node:path";
import type { TestResult } from "../engine/run-result.js";
import type { FullEnvironment } from "./environment-ports.js";
import { locateRoot } from "../config/locate-root.js";
import { loadEarlierRun, resumedOptions, type EarlierRun } from "../journal/earlier-run.js";
import { startOfRun } from "../journal/run-id.js";
import { isUnstarted } from "../journal/read-journal.js";
import { findRunFolder } from "../journal/run-folder.js";
import { readRunFile } from "../journal/run-file.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { choosesCases } from "../plan/case-filter.js";
import { failure, success, type Result } from "../result.js";
import type { RunSessions, RunTestsOptions } from "../plan/run-options.js";

/** What is asked for once it is clear whether it goes back to another run. */
export interface BegunRun {
  options: RunTestsOptions;
  /** The run that goes on, locked; null for a new one. */
  earlier: EarlierRun | null;
  /** The ID of a run that ended before it started, and starts now; absent for a new ID. */
  runId?: string;
  /** What that run was asked for so far, and now; null for a new one. */
  sessions: RunSessions | null;
}

/** Finds the run that the options go back to. Fails when there is none, or when it cannot be used. */
export async function beginRun(options: RunTestsOptions, world: FullEnvironment): Promise<Result<BegunRun>> {
  const { resume, rerunFailed } = options;
  if (resume !== undefined) return resumeRun(options, resume, world);
  if (rerunFailed !== undefined) return rerunOf(options, rerunFailed, world);
  return success({ options, earlier: null, sessions: null });
}

async function resumeRun(options: RunTestsOptions, wanted: string, world: FullEnvironment): Promise<Result<BegunRun>> {
  const root = await locateRoot(options, world.cwd);
  const loaded = await loadEarlierRun(root, wanted, world.cwd, world.clock);
  if (!loaded.success) {
    if (!isUnstarted(loaded.error)) return loaded;
    const found = await findRunFolder(root, wanted, world.cwd);
    if (!found.success) return found;
    const { id } = found.data;
    return startOfRun(id) !== null ? success({ options, earlier: null, sessions: null, runId: id }) : loaded;
  }
  const earlier = loaded.data;
  if (earlier.header.scored?.from === "transcripts") {
    await earlier.lock?.release();
    const message = `The run ${earlier.folder.id} scored transcripts, so there is nothing to resume`;
    return failure(kindlmError("CONFIG_VALIDATION_ERROR", message));
  }
  const merged = resumedOptions(options, earlier.header, root);
  if (merged.success) {
    const asked = choosesCases(options.filters) ? (options.filters ?? null) : null;
    return success({ options: merged.data, earlier, sessions: { asked, before: earlier.records.filters } });
  }
  await earlier.lock?.release();
  return merged;
}

function hasNotPassed({ status }: Pick<TestResult, "status">): boolean {
  return status === "errored" || status === "failed";
}

async function rerunOf(options: RunTestsOptions, wanted: string, world: FullEnvironment): Promise<Result<BegunRun>> {
  const root = await locateRoot(options, world.cwd);
  const found = await findRunFolder(root, wanted, world.cwd);
  if (!found.success) return found;
  const { id, result } = found.data;
  const stored = await readRunFile(result, path.relative(world.cwd, result), id);
  if (!stored.success) return stored;
  const cases = stored.data.suites
    // What could not run, because its suite was broken, has not passed either.
    .flatMap(({ status, tests }) => (status === "skipped" ? tests : tests.filter(hasNotPassed)))
    .map((test) => test.id);
  if (cases.length === 0) {
    const message = `Nothing to run again: every case of run ${id} passed or was skipped`;
    return failure(kindlmError("RUN_NOT_FOUND", message, { details: { run: id, reason: "nothing_to_rerun" } }));
  }
  return success({ options: { ...options, filters: { ...options.filters, cases } }, earlier: null, sessions: null });
}
