import type { Environment, Result, RunResult } from "@kindlm/core";
import type { ScoringOptions } from "@kindlm/core/commands/score-transcripts";
import type { Invocation } from "../commands/command-definition.js";
import type { scoring } from "../commands/shared-flags.js";
import { createListeners } from "../listeners/create-listeners.js";
import { errorViewOf } from "../errors/error-view.js";
import { given } from "../commands/given.js";
import { isCi } from "../terminal/is-ci.js";
import { printError } from "../commands/print-answer.js";
import { renderWarning } from "../errors/render-error.js";
import { chooseReporters } from "../reports/reporter-targets.js";
import { showResult } from "../reports/show-result.js";

type ScoringInvocation = Invocation<typeof scoring>;
type Scoring = (options: ScoringOptions, environment: Environment) => Promise<Result<RunResult>>;

/** Scores, shows the result as that of any run, and gives its exit code. */
export async function showScoring(invocation: ScoringInvocation, score: Scoring): Promise<number> {
  const { flags, environment } = invocation;
  const targets = await chooseReporters(flags, { paths: invocation.global.config }, environment.core);
  if (!targets.success) return printError(invocation, targets.error);
  const view = errorViewOf(invocation);
  const { color, verbose } = view;
  const listeners = await createListeners({ environment, events: undefined, log: null, verbose, color });
  const scored = await score(optionsOf(invocation), { ...environment.core, onEvent: listeners.onEvent });
  const problems = await listeners.stop();
  await environment.stderr.write(problems.map((problem) => renderWarning(problem, view)).join(""));
  if (!scored.success) return printError(invocation, scored.error);
  return showResult(invocation, scored.data, targets.data);
}

function optionsOf({ flags, global, environment }: ScoringInvocation): ScoringOptions {
  const { suite: suites, test: tests, exclude, tag: tags, journal, plugins } = flags;
  const { concurrency, gate: gatePassRate, maxCost: maxCostUsd, root } = flags;
  const options = { paths: global.config, ci: isCi(environment.env), filters: { suites, tests, exclude, tags } };
  return { ...options, journal, plugins, ...given({ concurrency, gatePassRate, maxCostUsd, root }) };
}
