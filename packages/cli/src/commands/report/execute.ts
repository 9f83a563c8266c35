import { loadRun } from "@kindlm/core/commands/runs";
import { errorViewOf } from "../../errors/error-view.js";
import { given } from "../given.js";
import { printError } from "../print-answer.js";
import { renderDiagnostics } from "../../errors/render-error.js";
import { renderOptionsFor } from "../../reports/render-options.js";
import { chooseReporters } from "../../reports/reporter-targets.js";
import { writeReports } from "../../reports/write-reports.js";
import type { InvocationOf } from "../command-definition.js";
import type { reportCommand } from "./command.js";

/** Exit code 0 says that every report was written, whatever the run found out. */
export async function execute(invocation: InvocationOf<typeof reportCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const { stderr } = environment;
  const project = { paths: global.config, ...given({ root: flags.root }) };
  const targets = await chooseReporters(flags, project, environment.core);
  if (!targets.success) return printError(invocation, targets.error);
  const loaded = await loadRun({ ...project, run: args[0] }, environment);
  if (!loaded.success) return printError(invocation, loaded.error);
  const { result, paths, findTrials } = loaded.data;
  const found = await findTrials();
  if (!found.success) return printError(invocation, found.error);
  await stderr.write(renderDiagnostics(result.warnings, errorViewOf(invocation)));
  let exitCode: 0 | 1 = 0;
  await writeReports(result, targets.data, environment, {
    brief: false,
    optionsFor: renderOptionsFor(invocation, paths, result),
    warn: async (error) => {
      exitCode = await printError(invocation, error);
    },
  });
  return exitCode;
}
