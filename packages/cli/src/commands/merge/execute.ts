import { mergeRuns } from "@kindlm/core/commands/merge-runs";
import { given } from "../given.js";
import { printError } from "../print-answer.js";
import { chooseReporters } from "../../reports/reporter-targets.js";
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
  return showResult(invocation, merged.data, targets.data);
}
