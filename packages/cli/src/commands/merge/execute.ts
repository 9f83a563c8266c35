import { mergeRuns } from "@kindlm/core/commands/merge-runs";
import { given } from "../given.js";
import { printError } from "../print-answer.js";
import { chooseReporters } from "../../reports/reporter-targets.js";
import { errorViewOf } from "../../errors/error-view.js";
import { createTextMessages } from "../../listeners/run-messages.js";
import { uploadAfterwards } from "../../uploads/upload-afterwards.js";
import { showResult } from "../../reports/show-result.js";
import type { InvocationOf } from "../command-definition.js";
import type { mergeCommand } from "./command.js";

/** The exit code is that of the merged run. */
export async function execute(invocation: InvocationOf<typeof mergeCommand>): Promise<number> {
  const { args: runs, flags, global, environment } = invocation;
  const targets = await chooseReporters(flags, { paths: global.config }, environment.core);
  if (!targets.success) return printError(invocation, targets.error);
  const merged = await mergeRuns({ runs, paths: global.config, ...given({ root: flags.root }) }, environment.core);
  if (!merged.success) return printError(invocation, merged.error);
  const exitCode = await showResult(invocation, merged.data, targets.data);
  if (flags.upload) {
    const messages = createTextMessages(errorViewOf(invocation));
    const finished = { result: merged.data, paths: global.config, targets: targets.data, messages };
    await uploadAfterwards(invocation, finished);
  }
  return exitCode;
}
