import type { Environment, Result, RunResult } from "@kindlm/core";
import { resolve } from "node:path";
import { errorViewOf } from "../../errors/error-view.js";
import { createListeners } from "../../listeners/create-listeners.js";
import type { LogLines } from "../../listeners/log-lines.js";
import type { RunMessages } from "../../listeners/run-messages.js";
import { RenderAhead } from "../../reports/render-ahead.js";
import { renderOptionsFor } from "../../reports/render-options.js";
import { reportersOf, type ReportTargets } from "../../reports/reporter-targets.js";
import { writeReports } from "../../reports/write-reports.js";
import type { TestInvocation } from "./to-run-options.js";

export interface ReportedRun {
  invocation: TestInvocation;
  /** The configs of the run. */
  paths: readonly string[];
  targets: ReportTargets;
  messages: RunMessages;
  /** Null unless the run is followed by structured lines. */
  log: LogLines | null;
  run(world: Environment): Promise<Result<RunResult>>;
}

/** Runs tests, shows how far they are, and writes their reports. Null if the run could not start, which is printed. */
export async function runAndReport(reported: ReportedRun): Promise<RunResult | null> {
  const { invocation, paths, targets, messages, log, run } = reported;
  const { flags, environment, global } = invocation;
  const { cwd, stderr, core: world } = environment;
  const print = (text: string): Promise<string | null> => stderr.write(text, messages.format);
  const events = flags.events === undefined || flags.events === "-" ? flags.events : resolve(cwd, flags.events);
  const { color } = errorViewOf(invocation, paths);
  const options = renderOptionsFor(invocation, paths, null)(null);
  const ahead = new RenderAhead(reportersOf(targets), options, environment.redactor);
  const wanted = { environment, events, log, verbose: global.verbose, color, ahead: ahead.listener };
  const listeners = await createListeners(wanted);
  const result = await run({ ...world, onEvent: listeners.onEvent });
  const problems = await listeners.stop();
  await print(problems.map((problem) => messages.remark(problem)).join(""));
  if (!result.success) {
    await print(messages.error(result.error));
    return null;
  }
  await print(messages.diagnostics(result.data.warnings));
  await writeReports(result.data, targets, environment, {
    brief: messages.format === "text",
    renderedFor: (reporter) => ahead.textsOf(reporter),
    optionsFor: renderOptionsFor(invocation, paths, result.data),
    warn: async (error) => {
      await print(messages.warning(error));
    },
  });
  await print(messages.summary(result.data));
  return result.data;
}
