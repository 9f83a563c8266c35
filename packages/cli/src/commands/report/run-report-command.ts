import { loadRun, locateRoot, type KindlmError } from "@kindlm/core";
import { errorViewOf } from "../../error-view.js";
import { renderDiagnostics, renderError } from "../../render-error.js";
import { renderOptionsFor } from "../../reports/render-options.js";
import { parseReporterTargets } from "../../reports/reporter-targets.js";
import { writeReports } from "../../reports/write-reports.js";
import type { Invocation } from "../command-definition.js";
import type { ReportFlags } from "./command.js";

/** Exit code 0 says that every report was written, whatever the run found out. */
export async function runReportCommand(invocation: Invocation): Promise<number> {
  const { args, global, environment } = invocation;
  const { cwd, stderr } = environment;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- commander has no types for parsed flags
  const flags = invocation.options as unknown as ReportFlags;
  const targets = parseReporterTargets(flags.reporter, undefined);
  const view = errorViewOf(invocation);
  const fail = async (error: KindlmError): Promise<number> => {
    await stderr.write(renderError(error, view));
    return 1;
  };

  const place = { paths: global.config, ...(flags.root === undefined ? {} : { root: flags.root }) };
  const loaded = await loadRun(await locateRoot(place, cwd), args[0] ?? null, cwd);
  if (!loaded.success) return fail(loaded.error);
  const { result, paths, findTrials } = loaded.data;
  const found = await findTrials();
  if (!found.success) return fail(found.error);
  await stderr.write(renderDiagnostics(result.warnings, view));
  let exitCode = 0;
  await writeReports(result, targets, environment, {
    brief: false,
    optionsFor: renderOptionsFor(invocation, paths),
    warn: async (error) => {
      exitCode = await fail(error);
    },
  });
  return exitCode;
}
