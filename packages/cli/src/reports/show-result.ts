import type { RunResult } from "@kindlm/core";
import type { Invocation } from "../commands/command-definition.js";
import { errorViewOf } from "../errors/error-view.js";
import { createTextMessages } from "../listeners/run-messages.js";
import { renderOptionsFor } from "./render-options.js";
import type { ReportTargets } from "./reporter-targets.js";
import { writeReports } from "./write-reports.js";

/** Shows the result of a run that was merged or scored: its warnings, then its reports. Gives its exit code. */
export async function showResult(invocation: Invocation, result: RunResult, targets: ReportTargets): Promise<number> {
  const { environment, global } = invocation;
  const messages = createTextMessages(errorViewOf(invocation));
  await environment.stderr.write(messages.diagnostics(result.warnings));
  await writeReports(result, targets, environment, {
    brief: true,
    optionsFor: renderOptionsFor(invocation, global.config, result),
    warn: async (error) => {
      await environment.stderr.write(messages.warning(error));
    },
  });
  return result.exitCode;
}
