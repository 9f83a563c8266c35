import type { RunEvent } from "@kindlm/core";
import {
  calibrateJudge,
  type CalibrateOptions,
  type CalibrationReport,
  type Disagreement,
} from "@kindlm/core/commands/calibrate-judge";
import { createListeners } from "../../listeners/create-listeners.js";
import { errorViewOf } from "../../errors/error-view.js";
import { given } from "../given.js";
import { isCi } from "../../terminal/is-ci.js";
import { printAnswer, printError } from "../print-answer.js";
import { renderWarning } from "../../errors/render-error.js";
import { refuseRepeated } from "../../scoring/refuse-repeated.js";
import { UsageError } from "../../errors/usage-error.js";
import { wantsColor } from "../../terminal/wants-color.js";
import type { InvocationOf } from "../command-definition.js";
import type { calibrateCommand } from "./command.js";
import { isConfigName, percent, plural, renderUsd, visible, visibleLine, withCounts } from "@kindlm/core/program";
import { explainError } from "../../errors/explain-error.js";
import { createColors, type Colors } from "../../terminal/colors.js";

type CalibrateInvocation = InvocationOf<typeof calibrateCommand>;

/** Exit code 1 if a gate fails, a label could not be judged, or there is none. */
export async function execute(invocation: CalibrateInvocation): Promise<number> {
  const { flags, global, environment } = invocation;
  const { stdout, stderr, core } = environment;
  const options = toOptions(invocation);
  const view = errorViewOf(invocation);
  const { verbose, color } = view;
  const listeners = await createListeners({ environment, events: undefined, log: null, verbose, color });
  // A low score is not a failure here: people may agree with it.
  const onEvent = (event: RunEvent): void => {
    if (event.type !== "case:end") listeners.onEvent(event);
  };
  const calibrated = await calibrateJudge(options, { ...core, onEvent });
  const problems = await listeners.stop();
  await stderr.write(problems.map((problem) => renderWarning(problem, view)).join(""));
  if (!calibrated.success) return printError(invocation, calibrated.error, global.config, flags.json ? {} : null);
  const report = calibrated.data;
  const text = renderCalibration(report, { color: wantsColor(environment, stdout, global.color), verbose });
  return printAnswer(invocation, { data: report, text, name: "report" }, report.isPassing ? 0 : 1);
}

function toOptions({ args, flags, global, environment }: CalibrateInvocation): CalibrateOptions {
  const { stdin, cwd, env } = environment;
  const config = args.find(isConfigName);
  if (config !== undefined)
    throw new UsageError(`${config} looks like a config, not like labels`, `Name it with -c ${config}`);
  refuseRepeated(args, cwd);
  if (flags.assertion !== undefined && flags.test === undefined) {
    throw new UsageError("--assertion needs --test", "Name the test that contains it");
  }
  const labels = args.map((name) => (name === "-" ? { name: "stdin", chunks: stdin } : name));
  const { test, assertion, model, criteria, threshold, samples, minAgreement, minKappa } = flags;
  const { cassette, concurrency, maxCost: maxCostUsd, root } = flags;
  const judge = given({ test, assertion, model, criteria, threshold, samples, minAgreement, minKappa });
  return {
    paths: global.config,
    labels,
    ci: isCi(env),
    ...judge,
    ...given({ cassette, concurrency, maxCostUsd, root }),
  };
}

interface View {
  color: boolean;
  verbose: boolean;
}

/** More of them are not read anyway. */
const mostShown = 20;
const longestText = 300;

/** How well judge and people agree, where they do not, and what could not be judged. */
function renderCalibration(report: CalibrationReport, view: View): string {
  const colors = createColors(view.color);
  const { judge, threshold, samples, labels, judged } = report;
  const asked = samples === 1 ? "" : `, the median of ${samples} votes`;
  const lines = [
    colors.bold(`Judge ${visibleLine(judge)}: ${judged} of ${plural(labels, "label")} judged`),
    `  A score of ${short(threshold)} passes${asked}`,
    ...(judged === 0 ? [] : ["", ...renderAgreement(report), "", ...renderConfusion(report)]),
    ...renderDisagreements(report, view, colors),
    ...renderErrors(report, view, colors),
    "",
    colors.dim(renderCost(report)),
  ];
  return `${[...lines, renderVerdict(report, colors)].join("\n")}\n`;
}

function renderVerdict({ isPassing, isGated, reasons }: CalibrationReport, { bold, dim, green, red }: Colors): string {
  if (!isPassing) return bold(red(`The judge is not good enough: ${reasons.map(visibleLine).join("; ")}`));
  return isGated
    ? bold(green("The judge is good enough"))
    : dim("Decide whether this is good enough, or set --min-agreement and --min-kappa");
}

function* renderAgreement({ agreement, kappa, meanAbsoluteError }: CalibrationReport): Iterable<string> {
  if (agreement !== null) {
    const [low, high] = agreement.interval.map(percent);
    yield `  Agreement            ${percent(agreement.rate)} (95% interval ${low} to ${high})`;
  }
  if (kappa !== null && kappa.value === null) {
    yield "  Cohen's kappa        unknown: both give every answer the same verdict";
  } else if (kappa !== null && kappa.value !== null) {
    const range = kappa.interval === null ? "" : ` (95% interval ${kappa.interval.map(short).join(" to ")})`;
    yield `  Cohen's kappa        ${short(kappa.value)}${range}`;
  }
  if (meanAbsoluteError !== null) yield `  Mean absolute error  ${short(meanAbsoluteError)}`;
}

function renderConfusion({ confusion }: CalibrationReport): readonly string[] {
  const cell = (count: number): string => String(count).padStart(10);
  return [
    "                judge pass  judge fail",
    `  human pass  ${cell(confusion.pass.pass)}  ${cell(confusion.pass.fail)}`,
    `  human fail  ${cell(confusion.fail.pass)}  ${cell(confusion.fail.fail)}`,
  ];
}

function renderDisagreements({ disagreements }: CalibrationReport, { verbose }: View, colors: Colors): string[] {
  if (disagreements.length === 0) return [];
  const shown = verbose ? disagreements : disagreements.slice(0, mostShown);
  const hidden = disagreements.length - shown.length;
  return [
    "",
    colors.bold("Disagreements"),
    ...shown.flatMap((one) => renderDisagreement(one, verbose, colors)),
    ...(hidden > 0 ? [withCounts`  … and ${hidden} more; --verbose shows all of them`] : []),
  ];
}

function renderDisagreement(one: Disagreement, isWhole: boolean, colors: Colors): readonly string[] {
  const byHuman = one.humanScore === null ? one.human : `${one.human} (${short(one.humanScore)})`;
  const place = `${visibleLine(one.file)}:${one.line}`;
  return [
    `  ${colors.yellow(place)} human ${byHuman}, judge ${one.judge} (${short(one.score)})`,
    ...indented("Answer: ", one.output, isWhole),
    ...indented("Judge: ", one.reasoning, isWhole),
  ];
}

function indented(label: string, text: string, isWhole: boolean): readonly string[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const cut = isWhole || trimmed.length <= longestText ? trimmed : `${trimmed.slice(0, longestText)}…`;
  const [first = "", ...rest] = visible(cut).split("\n");
  return [`    ${label}${first}`, ...rest.map((line) => `      ${line}`)];
}

/** One dead judge is one error, however many labels it took. */
function renderErrors({ errors }: CalibrationReport, { verbose }: View, colors: Colors): readonly string[] {
  const groups = new Map<string, CalibrationReport["errors"][number][]>();
  for (const one of errors) groups.set(one.error.message, [...(groups.get(one.error.message) ?? []), one]);
  const lines: string[] = errors.length === 0 ? [] : ["", colors.bold("Errors")];
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    for (const { title } of explainError(first.error, verbose))
      lines.push(`  ${colors.red(`✗ ${visibleLine(title)}`)}`);
    const shown = verbose ? group : group.slice(0, mostShown);
    const places = shown.map(({ file, line }) => `${visibleLine(file)}:${line}`).join(", ");
    lines.push(
      colors.dim(`    ${plural(group.length, "label")}: ${places}${shown.length < group.length ? ", …" : ""}`),
    );
  }
  return lines;
}

function renderCost({ judging }: CalibrationReport): string {
  if (judging === null) return "The judge was not called";
  const { requests, costUsd, unpricedRequests } = judging;
  const cost =
    costUsd === null
      ? `cost unknown (${plural(unpricedRequests, "request")} without a price)`
      : `cost ${renderUsd(costUsd)}`;
  return `${plural(requests, "request")}, ${cost}`;
}

function short(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}
