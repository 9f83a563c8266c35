import { beginRun } from "../run/begin-run.js";
import { conductRun } from "../run/conduct-run.js";
import type { RunResult } from "../engine/run-result.js";
import { completeEnvironment } from "../run/environment-ports.js";
import type { Environment } from "../run/environment.js";
import { openRun } from "../run/open-run.js";
import type { Result } from "../result.js";
import type { RunTestsOptions } from "../plan/run-options.js";

/**
 * Runs the tests of one or several configs. Never rejects: what goes wrong in a test is in the result; only what keeps
 * the whole run from starting (a missing or invalid config, a filter that names nothing) is an error.
 */
export async function runTests(options: RunTestsOptions, environment: Environment = {}): Promise<Result<RunResult>> {
  const world = completeEnvironment(environment);
  const begun = await beginRun(options, world);
  if (!begun.success) return begun;
  const opened = await openRun(begun.data, world);
  if (!opened.success) {
    await begun.data.earlier?.lock?.release();
    return opened;
  }
  const closesHttp = environment.http === undefined;
  return conductRun({ opened: opened.data, begun: begun.data, world, closesHttp });
}
