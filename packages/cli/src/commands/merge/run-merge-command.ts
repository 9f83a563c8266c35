import { mergeRuns } from "@kindlm/core";
import { exitCodeOf } from "../../exit-code.js";
import { errorViewOf } from "../../error-view.js";
import { explainError } from "../../explain-error.js";
import { renderDiagnostics, renderError, renderWarning } from "../../render-error.js";
import { renderOptionsFor } from "../../reports/render-options.js";
import { parseReporterTargets } from "../../reports/reporter-targets.js";
import { writeReports } from "../../reports/write-reports.js";
import type { Invocation } from "../command-definition.js";
import type { MergeFlags } from "./command.js";

/** The exit code is that of the merged run. */
export async function runMergeCommand(invocation: Invocation): Promise<number> {
  const { args, global, environment } = invocation;
  const { stderr } = environment;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- commander has no types for parsed flags
  const flags = invocation.options as unknown as MergeFlags;
  const targets = parseReporterTargets(flags.reporter, undefined);
  const view = errorViewOf(invocation);
  const root = flags.root === undefined ? {} : { root: flags.root };
  const merged = await mergeRuns({ runs: args, paths: global.config, ...root }, environment.core);
  if (!merged.success) {
    await stderr.write(renderError(merged.error, view));
    return 1;
  }
  await stderr.write(renderDiagnostics(merged.data.warnings, view));
  await writeReports(merged.data, targets, environment, {
    brief: true,
    optionsFor: renderOptionsFor(invocation, global.config),
    warn: async (error) => {
      const [explanation = { title: error.message }] = explainError(error, global.verbose);
      await stderr.write(renderWarning(explanation, view));
    },
  });
  return exitCodeOf(merged.data);
}
