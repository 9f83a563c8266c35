import { rehearseVacuity, type RunTestsOptions } from "@kindlm/core";
import { resolve } from "node:path";
import { printError, toJson } from "../../print-answer.js";
import type { ReportTargets } from "../../reports/reporter-targets.js";
import { UsageError } from "../../usage-error.js";
import { wantsColor } from "../../wants-color.js";
import { longOf } from "../flag.js";
import { testCommand } from "./command.js";
import { renderVacuity } from "./render-vacuity.js";
import type { TestInvocation } from "./to-run-options.js";

/** Exit code 1 says that a test is vacuous and does not say so, or that nothing could be looked at. */
export async function showVacuity(
  invocation: TestInvocation,
  targets: ReportTargets,
  options: RunTestsOptions,
): Promise<number> {
  const { flags, environment, global } = invocation;
  const { stdout, stderr, cwd, files, core } = environment;
  checkFlags(flags, targets);
  const wantsJson = flags.json || targets.stdout?.name === "json";
  const checked = await rehearseVacuity(options, core);
  if (!checked.success) return printError(invocation, checked.error, options.paths, wantsJson ? {} : null);
  const report = checked.data;
  const problems: string[] = [];
  for (const { reporter, file } of targets.files) {
    const text =
      reporter.name === "json" ? toJson(report) : renderVacuity(report, { color: false, verbose: global.verbose });
    const written = await files.write(resolve(cwd, file), file, whole(text), reporter.format);
    if (!written.success) problems.push(written.error.message);
  }
  const view = { color: wantsColor(environment, stdout, global.color), verbose: global.verbose };
  const shown = wantsJson ? toJson(report) : renderVacuity(report, view);
  const problem = await stdout.write(shown, wantsJson ? "json" : "text");
  if (problem !== null) problems.push(`The report could not be written: ${problem}`);
  await stderr.write(problems.map((text) => `✗ ${text}\n`).join(""));
  return report.isPassing && problem === null ? 0 : 1;
}

function checkFlags(flags: TestInvocation["flags"], { stdout, files }: ReportTargets): void {
  const others = ["list", "resume", "rerunFailed", "run"] as const;
  const other = others.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (other !== undefined) {
    const written = longOf(other, testCommand.flags[other]);
    throw new UsageError(`--vacuity runs no test, so that ${written} means nothing with it`, `Leave ${written} out`);
  }
  const reporters = [...(stdout === null ? [] : [stdout]), ...files.map(({ reporter }) => reporter)];
  const unknown = reporters.find(({ name }) => name !== "pretty" && name !== "json");
  if (unknown === undefined) return;
  throw new UsageError(
    `--vacuity has no ${unknown.name} report`,
    "It has two: the one for people, and --reporter json[=file]",
  );
}

async function* whole(text: string): AsyncIterable<string> {
  yield text;
}
