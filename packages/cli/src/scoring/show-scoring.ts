import type { Environment, Result, RunEventListener, RunResult, ScoringOptions } from "@kindlm/core";
import { exitCodeOf } from "../exit-code.js";
import { errorViewOf } from "../error-view.js";
import { explainError } from "../explain-error.js";
import { isCi } from "../is-ci.js";
import { renderDiagnostics, renderError, renderWarning } from "../render-error.js";
import { renderOptionsFor } from "../reports/render-options.js";
import { parseReporterTargets } from "../reports/reporter-targets.js";
import { writeReports } from "../reports/write-reports.js";
import type { Invocation } from "../commands/command-definition.js";
import { createListeners } from "../create-listeners.js";
import type { ScoringFlags } from "./scoring-options.js";

type Scoring = (
  options: ScoringOptions,
  environment: Environment,
  onEvent: RunEventListener,
) => Promise<Result<RunResult>>;

/** Scores, shows the result as that of any run, and gives its exit code. */
export async function showScoring(invocation: Invocation, flags: ScoringFlags, score: Scoring): Promise<number> {
  const { environment, global } = invocation;
  const { env, stderr } = environment;
  const targets = parseReporterTargets(flags.reporter, undefined);
  const view = errorViewOf(invocation);
  const { color, verbose } = view;
  const listeners = await createListeners({ environment, events: undefined, log: null, verbose, color });
  const scored = await score(optionsOf(flags, global.config, isCi(env)), environment.core, listeners.onEvent);
  const problems = await listeners.stop();
  await stderr.write(problems.map((problem) => renderWarning(problem, view)).join(""));
  if (!scored.success) {
    await stderr.write(renderError(scored.error, view));
    return 1;
  }
  await stderr.write(renderDiagnostics(scored.data.warnings, view));
  await writeReports(scored.data, targets, environment, {
    brief: true,
    optionsFor: renderOptionsFor(invocation, global.config),
    warn: async (error) => {
      const [explanation = { title: error.message }] = explainError(error, verbose);
      await stderr.write(renderWarning(explanation, view));
    },
  });
  return exitCodeOf(scored.data);
}

function optionsOf(flags: ScoringFlags, paths: readonly string[], ci: boolean): ScoringOptions {
  const { suite: suites, test: tests, exclude, tag: tags } = flags;
  const options: ScoringOptions = { paths, ci, filters: { suites, tests, exclude, tags } };
  if (flags.concurrency !== undefined) options.concurrency = flags.concurrency;
  if (flags.gate !== undefined) options.gatePassRate = flags.gate;
  if (flags.maxCost !== undefined) options.maxCostUsd = flags.maxCost;
  if (flags.root !== undefined) options.root = flags.root;
  if (!flags.journal) options.journal = false;
  if (!flags.plugins) options.plugins = false;
  return options;
}
