import { loadRun, selectFromRun } from "@kindlm/core/commands/runs";
import { diagnosticsOf } from "@kindlm/core/program";
import { UsageError } from "../../errors/usage-error.js";
import type { KindlmError, RunResult, TestResult, TrialResult } from "@kindlm/core";
import { errorViewOf } from "../../errors/error-view.js";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import { renderDiagnostics } from "../../errors/render-error.js";
import { renderOptionsFor } from "../../reports/render-options.js";
import { chooseReporters } from "../../reports/reporter-targets.js";
import { writeReports } from "../../reports/write-reports.js";
import { renderCase, transcriptViewOf } from "../../transcript/render-case.js";
import type { InvocationOf } from "../command-definition.js";
import type { reportCommand } from "./command.js";

/** The run has no such case, whatever the config of today says. */
function noSuchCase(error: KindlmError): UsageError {
  const [problem] = diagnosticsOf(error);
  return new UsageError(problem?.message ?? error.message, problem?.hint);
}

/** The case, if it is the only one that is shown. */
function onlyCaseOf({ suites, selection }: RunResult): TestResult | null {
  return selection?.shown === 1 ? (suites[0]?.tests[0] ?? null) : null;
}

/** Exit code 0 says that every report was written, whatever the run found out. */
export async function execute(invocation: InvocationOf<typeof reportCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const { stderr } = environment;
  const project = { paths: global.config, ...given({ root: flags.root }) };
  const targets = await chooseReporters(flags, project, environment.core);
  if (!targets.success) return printError(invocation, targets.error);
  const loaded = await loadRun({ ...project, run: args[0] }, environment);
  if (!loaded.success) return printError(invocation, loaded.error);
  const { paths, findTrials } = loaded.data;
  const { suite: suites, test: tests, exclude, tag: tags, model: models, failed } = flags;
  const selected = selectFromRun(loaded.data.result, { suites, tests, exclude, tags, models, failed });
  if (!selected.success) throw noSuchCase(selected.error);
  const result = selected.data;
  const only = tests.length > 0 && flags.reporter.length === 0 ? onlyCaseOf(result) : null;
  const found = await findTrials();
  if (!found.success) return printError(invocation, found.error);
  if (only !== null) {
    const trials: TrialResult[] = [];
    for await (const trial of result.trials(only.id)) trials.push(trial);
    const view = transcriptViewOf(invocation);
    return printAnswer(invocation, { data: null, text: renderCase(only, trials, { all: false, first: null, view }) });
  }
  await stderr.write(renderDiagnostics(result.warnings, errorViewOf(invocation)));
  let exitCode: 0 | 1 = 0;
  await writeReports(result, targets.data, environment, {
    brief: false,
    optionsFor: renderOptionsFor(invocation, paths, result, args[0] === undefined ? undefined : result.run.id),
    warn: async (error) => {
      exitCode = await printError(invocation, error);
    },
  });
  return exitCode;
}
