import { plural, visibleLine, withCounts } from "@kindlm/core/program";
import type { RunTestsOptions } from "@kindlm/core";
import {
  rehearseVacuity,
  type TestVacuity,
  type VacuityReport,
  type VacuityVerdict,
} from "@kindlm/core/commands/rehearse-vacuity";
import { resolve } from "node:path";
import { printError, toJson } from "../print-answer.js";
import type { ErrorView } from "../../errors/render-error.js";
import type { ReportTargets } from "../../reports/reporter-targets.js";
import { UsageError } from "../../errors/usage-error.js";
import { wantsColor } from "../../terminal/wants-color.js";
import { longOf } from "../flag.js";
import { testCommand } from "./command.js";
import type { TestInvocation } from "./to-run-options.js";
import { createColors, type Colors } from "../../terminal/colors.js";

const mostCases = 3;

const headings: readonly (readonly [VacuityVerdict, string])[] = [
  ["vacuous", "Vacuous: an agent that does nothing passes"],
  ["undecided", "Not decided: no assertion without a judge fails a stub agent"],
  ["guardrail", "Guardrails, which stub agents may pass"],
];

/** Exit code 1: a vacuous test is not marked `guardrail`, or nothing could be checked. */
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
    const text = reporter.name === "json" ? toJson(report) : render(report, { color: false, verbose: global.verbose });
    const written = await files.write(resolve(cwd, file), file, whole(text), reporter.format);
    if (!written.success) problems.push(written.error.message);
  }
  const view = { color: wantsColor(environment, stdout, global.color), verbose: global.verbose };
  const shown = wantsJson ? toJson(report) : render(report, view);
  const problem = await stdout.write(shown, wantsJson ? "json" : "text");
  if (problem !== null) problems.push(`Cannot write the report: ${problem}`);
  await stderr.write(problems.map((text) => `✗ ${text}\n`).join(""));
  return report.isPassing && problem === null ? 0 : 1;
}

function checkFlags(flags: TestInvocation["flags"], { stdout, files }: ReportTargets): void {
  const others = ["list", "resume", "rerunFailed", "run"] as const;
  const other = others.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (other !== undefined) {
    const written = longOf(other, testCommand.flags[other]);
    throw new UsageError(`--vacuity cannot be combined with ${written}`, `Remove ${written}`);
  }
  const reporters = [...(stdout === null ? [] : [stdout]), ...files.map(({ reporter }) => reporter)];
  const unknown = reporters.find(({ name }) => name !== "pretty" && name !== "json");
  if (unknown === undefined) return;
  throw new UsageError(
    `--vacuity does not support the ${unknown.name} reporter`,
    "Use the pretty reporter, or --reporter json[=file]",
  );
}

async function* whole(text: string): AsyncIterable<string> {
  yield text;
}

/** What the stub agents passed, worst first, and a summary. */
function render(report: VacuityReport, view: ErrorView): string {
  const colors = createColors(view.color);
  const { standIns, tests } = report;
  const lines = ["Stub agents:", ...standIns.map(({ name, summary }) => `  ${name}: ${summary}`)];
  for (const [verdict, heading] of headings) {
    const found = tests.filter((test) => test.verdict === verdict);
    if (found.length === 0) continue;
    lines.push("", colors.bold(heading), "");
    for (const test of found) lines.push(...renderTest(test, view, colors));
  }
  const noted = tests.filter(({ notes, verdict }) => notes.length > 0 && (verdict === "sound" || view.verbose));
  if (noted.length > 0) lines.push("", colors.bold("Notes"), "");
  for (const test of noted) for (const note of test.notes) lines.push(`  ${nameOf(test)}: ${note}`);
  if (view.verbose) lines.push(...renderSound(tests));
  lines.push("", ...renderEnd(report, colors));
  return `${lines.map((line) => (view.color ? line : visibleLine(line))).join("\n")}\n`;
}

function renderTest(test: TestVacuity, { verbose }: ErrorView, colors: Colors): readonly string[] {
  const sign =
    test.verdict === "vacuous"
      ? colors.red("✗")
      : test.verdict === "guardrail"
        ? colors.green("✓")
        : colors.yellow("?");
  const lines = [`  ${sign} ${nameOf(test)}`];
  for (const { standIn, cases, assertions } of test.passedBy) {
    lines.push(`      ${standIn} passes${someOf(test, cases)}`);
    if (test.verdict === "guardrail" && !verbose) continue;
    for (const { type, message } of assertions) lines.push(`        ${type}: ${visibleLine(message)}`);
  }
  for (const { standIn, cases, reason } of test.undecided) {
    lines.push(`      ${standIn}${someOf(test, cases)}: ${visibleLine(reason)}`);
  }
  return lines;
}

/** Which cases, where it is not the only one. */
function someOf({ cases: total }: TestVacuity, cases: readonly string[]): string {
  if (total === 1) return "";
  const some = cases.slice(0, mostCases).map(visibleLine).join(", ");
  const more = cases.length > mostCases ? ", …" : "";
  return withCounts` ${cases.length} of ${total} cases (${some}${more})`;
}

function renderSound(tests: readonly TestVacuity[]): readonly string[] {
  const sound = tests.filter(({ verdict }) => verdict === "sound");
  const skipped = tests.filter(({ verdict }) => verdict === "skipped");
  return [
    ...(sound.length === 0 ? [] : ["", "Sound", "", ...sound.map((test) => `  ✓ ${nameOf(test)}`)]),
    ...(skipped.length === 0
      ? []
      : ["", "Skipped", "", ...skipped.map((test) => `  – ${nameOf(test)}: ${visibleLine(test.notes.join("; "))}`)]),
  ];
}

function renderEnd({ isPassing, reasons, tests }: VacuityReport, colors: Colors): readonly string[] {
  const count = (verdict: VacuityVerdict): number => tests.filter((test) => test.verdict === verdict).length;
  const counts = `${count("sound")} sound, ${count("vacuous")} vacuous, ${count("undecided")} not decided, ${plural(count("guardrail"), "guardrail")}, ${count("skipped")} skipped`;
  const paint = isPassing ? colors.green : colors.red;
  return [
    ...(count("vacuous") === 0
      ? []
      : ["Assert what a good agent does, or set guardrail: true if the test only forbids something.", ""]),
    ...(reasons.length === 0 ? [] : [`Why it failed: ${visibleLine(reasons.join("; "))}`]),
    colors.bold(paint(`Vacuity: ${counts}`)),
    `Exit code: ${isPassing ? 0 : 1}`,
  ];
}

function nameOf({ suite, name }: TestVacuity): string {
  return visibleLine(`${suite}/${name}`);
}
