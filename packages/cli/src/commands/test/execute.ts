import { runTests, type RunResult, type RunTestsOptions } from "@kindlm/core";
import { errorViewOf } from "../../errors/error-view.js";
import { chooseReporters } from "../../reports/reporter-targets.js";
import { UsageError } from "../../errors/usage-error.js";
import { LogLines } from "../../listeners/log-lines.js";
import { createTextMessages, type RunMessages } from "../../listeners/run-messages.js";
import { uploadAfterwards } from "../../uploads/upload-afterwards.js";
import { runAndReport } from "./run-and-report.js";
import { checkWatch, exportOf, toRunOptions, type TestInvocation } from "./to-run-options.js";

export async function execute(invocation: TestInvocation): Promise<number> {
  const { args, flags, environment, global } = invocation;
  const { stderr, stdout, core: world } = environment;
  const paths = [...args, ...global.config];
  const chosen = await chooseReporters(flags, { paths }, world);
  if (flags.json && !flags.list && !flags.vacuity) {
    throw new UsageError("--json needs --list or --vacuity", "For a report, use --reporter json");
  }
  checkWatch(invocation);
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

  const reported = { invocation, paths, targets, messages, log };
  if (flags.watch) {
    const { watchTests } = await import("./watch.js");
    return watchTests(invocation, reported);
  }
  const { spans, note } = exportOf(invocation);
  if (note !== null) await print(messages.advice(note, "info"));
  const result = await runAndReport({ ...reported, run: (around) => runTests(options, { ...around, ...spans }) });
  if (result === null) return 1;
  if (flags.upload) await uploadAfterwards(invocation, { result, paths, targets, messages });
  if (canBeResumed(result, options)) {
    await print(messages.advice(`Resume this run: ${invocation.resumeCommand(result.run.id)}`));
  }
  return result.exitCode;
}

/** Whether there is something left to do, and a journal that knows what. A module that ended its worker cut trials off. */
function canBeResumed({ run, warnings }: RunResult, { journal }: RunTestsOptions): boolean {
  const codes = new Set(warnings.map(({ code }) => code));
  if (journal === false || codes.has("STORE_WRITE_ERROR")) return false;
  return run.interrupted || codes.has("ENGINE_FIXTURE_ERROR");
}
