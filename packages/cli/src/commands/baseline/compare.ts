import { reportedComparison } from "@kindlm/core/program";
import { compareWithBaselines } from "@kindlm/core/commands/baselines";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import { renderOptionsFor } from "../../reports/render-options.js";
import type { InvocationOf } from "../command-definition.js";
import type { compareCommand } from "./command.js";
import type { RunComparison } from "@kindlm/core";
import type { ReportOptions } from "../../reporters/report-options.js";
import { renderComparison } from "../../reporters/pretty/comparison.js";
import { createPrettyView } from "../../reporters/pretty/pretty-view.js";

/** Exit code 1 if the run is worse than its baseline, or if one cannot be used. */
export async function execute(invocation: InvocationOf<typeof compareCommand>): Promise<number> {
  const { flags, global, environment } = invocation;
  const question = { paths: global.config, ...given({ run: flags.run, root: flags.root }) };
  const compared = await compareWithBaselines(question, environment.core);
  if (!compared.success) return printError(invocation, compared.error);
  const { comparison, run } = compared.data;
  const options = renderOptionsFor(invocation, global.config, null)(environment.stdout);
  const isUnusable = comparison.suites.some(({ status }) => status === "unreadable");
  const data = { run, ...reportedComparison(comparison, options) };
  const exitCode = comparison.verdict === "regressed" || isUnusable ? 1 : 0;
  return printAnswer(invocation, { data, text: renderComparisonText(comparison, options) }, exitCode);
}

/** How a run stands against its baselines, as the report for people shows it. */
function renderComparisonText(comparison: RunComparison, options: ReportOptions): string {
  return [...renderComparison(comparison, createPrettyView(options))].join("").trimStart();
}
