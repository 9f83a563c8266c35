import { runTests, type RunResult, type RunTestsOptions } from "@kindlm/core";
import { resolve } from "node:path";
import { errorViewOf } from "../../errors/error-view.js";
import { renderOptionsFor } from "../../reports/render-options.js";
import { chooseReporters } from "../../reports/reporter-targets.js";
import { writeReports } from "../../reports/write-reports.js";
import { UsageError } from "../../errors/usage-error.js";
import { LogLines } from "../../listeners/log-lines.js";
import { createListeners } from "../../listeners/create-listeners.js";
import { createTextMessages, type RunMessages } from "../../listeners/run-messages.js";
import { toRunOptions, type TestInvocation } from "./to-run-options.js";

export async function execute(invocation: TestInvocation): Promise<number> {
  const { args, flags, environment, global } = invocation;
  const { cwd, stderr, stdout, core: world } = environment;
  const paths = [...args, ...global.config];
  const chosen = await chooseReporters(flags, { paths }, world);
  if (flags.json && !flags.list && !flags.vacuity) {
    throw new UsageError("--json needs --list or --vacuity", "For a report, use --reporter json");
  }
  const options = toRunOptions(invocation, paths);
  const view = errorViewOf(invocation, paths);
  const log = flags.logFormat === "json" ? new LogLines(environment.clock) : null;
  const messages: RunMessages = log ?? createTextMessages(view);
  const print = (text: string): Promise<string | null> => stderr.write(text, messages.format);
  if (!chosen.success) {
    await print(messages.error(chosen.error));
    return 1;
  }
  const targets = chosen.data;

  if (flags.vacuity) {
    const { showVacuity } = await import("./show-vacuity.js");
    return showVacuity(invocation, targets, options);
  }
  if (flags.list) {
    const { showCaseList } = await import("./show-case-list.js");
    return showCaseList({ options, world, stdout, json: flags.json, messages, print });
  }

  const events = flags.events === undefined || flags.events === "-" ? flags.events : resolve(cwd, flags.events);
  const { verbose } = global;
  const listeners = await createListeners({ environment, events, log, verbose, color: view.color });
  const result = await runTests(options, { ...world, onEvent: listeners.onEvent });
  const problems = await listeners.stop();
  await print(problems.map((problem) => messages.remark(problem)).join(""));
  if (!result.success) {
    await print(messages.error(result.error));
    return 1;
  }
  await print(messages.diagnostics(result.data.warnings));
  await writeReports(result.data, targets, environment, {
    brief: messages.format === "text",
    optionsFor: renderOptionsFor(invocation, paths, result.data),
    warn: async (error) => {
      await print(messages.warning(error));
    },
  });
  await print(messages.summary(result.data));
  if (canBeResumed(result.data, options)) {
    await print(messages.advice(`Resume this run: ${invocation.resumeCommand(result.data.run.id)}`));
  }
  return result.data.exitCode;
}

/** Whether there is something left to do, and a journal that knows what. A module that ended its worker cut trials off. */
function canBeResumed({ run, warnings }: RunResult, { journal }: RunTestsOptions): boolean {
  const codes = new Set(warnings.map(({ code }) => code));
  if (journal === false || codes.has("STORE_WRITE_ERROR")) return false;
  return run.interrupted || codes.has("ENGINE_FIXTURE_ERROR");
}
