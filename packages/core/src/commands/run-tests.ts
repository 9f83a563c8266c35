import type { RunResult } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import { loadIdentifier } from "../plan/identity/load-identifier.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import type { Result } from "../result.js";
import { beginRun } from "../run/begin-run.js";
import { conductRun } from "../run/conduct-run.js";
import { withRunWorld, type Environment } from "../run/environment.js";
import { preparePlan } from "../run/prepare-plan.js";

/**
 * Runs the tests of one or several configs. Never rejects: what goes wrong in a test is in the result; only what keeps
 * the whole run from starting (a missing or invalid config, a filter that names nothing) is an error.
 */
export function runTests(options: RunTestsOptions, environment: Environment = {}): Promise<Result<RunResult>> {
  return withRunWorld(environment, async (world) => {
    const begun = await beginRun(options, world);
    if (!begun.success) return begun;
    const { earlier, runId } = begun.data;
    const prepared = await preparePlan(begun.data.options, world, earlier?.sessions);
    if (!prepared.success) return prepared;
    const { config, plan } = prepared.data;
    const identify = await loadIdentifier(config, plan.part?.whole ?? plan);
    const warnings = runId === undefined ? plan.warnings : [...plan.warnings, startsNow(runId)];
    return conductRun({ ...begun.data, config, plan: { ...plan, warnings }, identify }, world);
  });
}

function startsNow(runId: string): Diagnostic {
  return {
    code: "STORE_CORRUPT",
    severity: "warning",
    message: `Run ${runId} stopped before it started, so it starts from the beginning`,
    hint: "It uses the paths and options of this command, because those of the first were not stored",
  };
}
