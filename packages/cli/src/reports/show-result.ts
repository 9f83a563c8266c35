import type { RunResult } from "@kindlm/core";
import type { Invocation } from "../commands/command-definition.js";
import { errorViewOf } from "../errors/error-view.js";
import { explainError } from "../errors/explain-error.js";
import { renderDiagnostics, renderWarning } from "../errors/render-error.js";
import { renderOptionsFor } from "./render-options.js";
import type { ReportTargets } from "./reporter-targets.js";
import { writeReports } from "./write-reports.js";

/** Shows the result of a run that was merged or scored: its warnings, then its reports. Gives its exit code. */
export async function showResult(invocation: Invocation, result: RunResult, targets: ReportTargets): Promise<number> {
  const { environment, global } = invocation;
  const view = errorViewOf(invocation);
  await environment.stderr.write(renderDiagnostics(result.warnings, view));
  await writeReports(result, targets, environment, {
    brief: true,
    optionsFor: renderOptionsFor(invocation, global.config),
    warn: async (error) => {
      const [explanation = { title: error.message }] = explainError(error, global.verbose);
      await environment.stderr.write(renderWarning(explanation, view));
    },
  });
  return result.exitCode;
}
