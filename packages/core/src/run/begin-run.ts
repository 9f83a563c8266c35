import path from "node:path";
import type { TestResult } from "../engine/run-result.js";
import { locateRoot } from "../config/locate-root.js";
import { loadEarlierRun, resumedOptions } from "../journal/earlier-run.js";
import { startOfRun } from "../journal/run-id.js";
import { isUnstarted } from "../journal/read-journal.js";
import { findRunFolder } from "../journal/run-folder.js";
import { readRunFile } from "../journal/read-run-file.js";
import type { StoredRun } from "../journal/run-file.js";
import { interruptedText } from "../engine/run-halt.js";
import { leftOutText } from "../plan/plan-run.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import type { RunWorld, World } from "./environment.js";
import type { PlannedRun } from "./open-run.js";

/** Finds the run that the options go back to. Fails when there is none, or when it cannot be used. */
export async function beginRun(
  options: RunTestsOptions,
  world: RunWorld,
): Promise<Result<Pick<PlannedRun, "options" | "earlier" | "runId">>> {
  const { resume } = options;
  if (resume === undefined) {
    const chosen = await chooseFailed(options, world);
    return chosen.success ? success({ options: chosen.data, earlier: null }) : chosen;
  }
  const root = await locateRoot(options, world.cwd);
  const loaded = await loadEarlierRun(root, options, world);
  if (!loaded.success) {
    if (!isUnstarted(loaded.error)) return loaded;
    const found = await findRunFolder(root, resume, world.cwd);
    if (!found.success) return found;
    const { id } = found.data;
    return startOfRun(id) !== null ? success({ options, earlier: null, runId: id }) : loaded;
  }
  const earlier = loaded.data;
  world.atEnd(async () => earlier.lock?.release());
  if (earlier.header.scored?.from === "transcripts") {
    const message = `The run ${earlier.folder.id} scored transcripts, so there is nothing to resume`;
    return failure(kindlmError("CONFIG_VALIDATION_ERROR", message));
  }
  const merged = resumedOptions(options, earlier.header, root);
  return merged.success ? success({ options: merged.data, earlier }) : merged;
}

/** Failed and errored cases, and those that were not started because the run stopped. */
function createOpenCheck({ haltedBy, reasons }: StoredRun["head"]): (test: TestResult) => boolean {
  const stops = new Set([haltedBy, leftOutText, interruptedText, ...reasons].map((reason) => reason?.toLowerCase()));
  return (test) => (test.status === "skipped" ? stops.has(test.reason.toLowerCase()) : test.status !== "passed");
}

/**
 * The options with the cases that a run is to be repeated for, where they name one. What did not pass in a shard is not
 * split again.
 */
export async function chooseFailed(options: RunTestsOptions, { cwd }: World): Promise<Result<RunTestsOptions>> {
  const { rerunFailed, filters, shard, ...others } = options;
  if (rerunFailed === undefined) return success(options);
  const found = await findRunFolder(await locateRoot(options, cwd), rerunFailed, cwd);
  if (!found.success) return found;
  const { id, result } = found.data;
  const stored = await readRunFile(result, path.relative(cwd, result), id);
  if (!stored.success) return stored;
  const { head, suites } = stored.data;
  const cases = suites
    // What could not run, because its suite was broken, has not passed either.
    .flatMap(({ status, tests }) => (status === "skipped" ? tests : tests.filter(createOpenCheck(head))))
    .map((test) => test.id);
  if (cases.length === 0) {
    const message = `Nothing to rerun: every case of run ${id} passed or was skipped`;
    return failure(kindlmError("RUN_NOT_FOUND", message, { details: { run: id, reason: "nothing_to_rerun" } }));
  }
  const part = head.run.shard;
  const chosen = { ...others, rerunFailed, filters: { ...filters, cases } };
  if (shard === undefined) return success(chosen);
  if (part === undefined) return success({ ...chosen, shard });
  if (part.index === shard.index && part.of === shard.of) return success(chosen);
  const message = `Run ${id} is shard ${part.index}/${part.of}, so it cannot be rerun as shard ${shard.index}/${shard.of}`;
  return failure(kindlmError("CONFIG_VALIDATION_ERROR", message));
}
