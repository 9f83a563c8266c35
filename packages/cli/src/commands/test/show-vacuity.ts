import { rehearseVacuity, type Environment, type RunTestsOptions } from "@kindlm/core";
import { resolve } from "node:path";
import { errorViewOf } from "../../error-view.js";
import { explainError } from "../../explain-error.js";
import { renderError } from "../../render-error.js";
import type { ReportTargets } from "../../reports/reporter-targets.js";
import { UsageError } from "../../usage-error.js";
import { wantsColor } from "../../wants-color.js";
import type { Invocation } from "../command-definition.js";
import type { TestFlags } from "./command.js";
import { renderVacuity } from "./render-vacuity.js";

interface VacuityCall {
  invocation: Invocation;
  flags: TestFlags;
  targets: ReportTargets;
  options: RunTestsOptions;
  world: Environment;
}

/** Exit code 1 says that a test is vacuous and does not say so, or that nothing could be looked at. */
export async function showVacuity({ invocation, flags, targets, options, world }: VacuityCall): Promise<number> {
  checkFlags(flags, targets);
  const { environment, global } = invocation;
  const { stdout, stderr, cwd, files } = environment;
  const wantsJson = flags.json || targets.stdout?.name === "json";
  const checked = await rehearseVacuity(options, world);
  if (!checked.success) {
    const { error } = checked;
    await stderr.write(renderError(error, errorViewOf(invocation, options.paths)));
    if (wantsJson) {
      const problems = explainError(error, false);
      await stdout.write(toJson({ error: { code: error.code, message: error.message, problems } }), "json");
    }
    return 1;
  }
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

function checkFlags(flags: TestFlags, { stdout, files }: ReportTargets): void {
  const others = ["list", "resume", "rerunFailed", "run"] as const;
  const other = others.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (other !== undefined) {
    const written = `--${other === "rerunFailed" ? "rerun-failed" : other}`;
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

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
