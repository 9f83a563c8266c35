import { runTests, type RunResult, type RunTestsOptions } from "@kindlm/core";
import { resolve } from "node:path";
import { errorViewOf } from "../../errors/error-view.js";
import { explainError } from "../../errors/explain-error.js";
import { renderDiagnostics, renderError, renderWarning } from "../../errors/render-error.js";
import { renderOptionsFor } from "../../reports/render-options.js";
import { parseReporterTargets } from "../../reports/reporter-targets.js";
import { writeReports } from "../../reports/write-reports.js";
import { UsageError } from "../../errors/usage-error.js";
import { LogLines } from "../../listeners/log-lines.js";
import { createListeners } from "../../listeners/create-listeners.js";
import { toRunOptions, type TestInvocation } from "./to-run-options.js";

export async function execute(invocation: TestInvocation): Promise<number> {
  const { args, flags, environment, global } = invocation;
  const { cwd, stderr, stdout, core: world } = environment;
  const paths = [...args, ...global.config];
  const targets = parseReporterTargets(flags.reporter, flags.events);
  if (flags.json && !flags.list && !flags.vacuity) {
    throw new UsageError("--json needs --list or --vacuity", "For a report write --reporter json");
  }
  const options = toRunOptions(invocation, paths);
  const view = errorViewOf(invocation, paths);
  const log = flags.logFormat === "json" ? new LogLines(environment.clock) : null;
  const tell = (text: string): Promise<string | null> => stderr.write(text, log === null ? "text" : "json");

  if (flags.vacuity) {
    const { showVacuity } = await import("./show-vacuity.js");
    return showVacuity(invocation, targets, options);
  }
  if (flags.list) {
    const { showCaseList } = await import("./show-case-list.js");
    return showCaseList({ options, world, stdout, json: flags.json, log, view, tell });
  }

  const events = flags.events === undefined || flags.events === "-" ? flags.events : resolve(cwd, flags.events);
  const listeners = await createListeners({
    environment,
    events,
    log,
    verbose: global.verbose,
    color: view.color,
  });
  const result = await runTests(options, { ...world, onEvent: listeners.onEvent });
  const problems = await listeners.stop();
  const dropped = problems.map((problem) => (log === null ? renderWarning(problem, view) : log.say(problem.title)));
  await tell(dropped.join(""));
  if (!result.success) {
    await tell(log === null ? renderError(result.error, view) : log.error(result.error));
    return 1;
  }
  const { warnings } = result.data;
  await tell(log === null ? renderDiagnostics(warnings, view) : warnings.map((problem) => log.warn(problem)).join(""));
  await writeReports(result.data, targets, environment, {
    brief: log === null,
    optionsFor: renderOptionsFor(invocation, paths),
    warn: async (error) => {
      const [explanation = { title: error.message }] = explainError(error, global.verbose);
      await tell(log === null ? renderWarning(explanation, view) : log.warn(error));
    },
  });
  if (log !== null) await tell(log.summary(result.data));
  if (canBeResumed(result.data, options)) {
    const command = invocation.resumeCommand(result.data.run.id);
    await tell(log === null ? `Resume this run: ${command}\n` : log.say(`Resume this run: ${command}`));
  }
  return result.data.exitCode;
}

/** Whether there is something left to do, and a journal that knows what. A module that ended its worker cut trials off. */
function canBeResumed({ run, warnings }: RunResult, { journal }: RunTestsOptions): boolean {
  const codes = new Set(warnings.map(({ code }) => code));
  if (journal === false || codes.has("STORE_WRITE_ERROR")) return false;
  return run.interrupted || codes.has("ENGINE_FIXTURE_ERROR");
}
