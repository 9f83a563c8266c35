import type { TestResult, TrialResult } from "@kindlm/core";
import { failingAssertions, plural, renderDuration, renderUsd } from "@kindlm/core/program";
import { renderExecution } from "../reporters/render-execution.js";
import { createColors } from "../terminal/colors.js";
import { columnsOf } from "../terminal/columns.js";
import { isAsciiLocale, shownLine } from "../terminal/signs.js";
import { hangWidth } from "../terminal/text-width.js";
import { wantsColor } from "../terminal/wants-color.js";
import type { Invocation } from "../commands/command-definition.js";
import { drawTranscript } from "./draw-transcript.js";
import type { TranscriptView } from "./transcript-view.js";

/** How transcripts are drawn on the terminal of a command. */
export function transcriptViewOf({ global, environment }: Pick<Invocation, "global" | "environment">): TranscriptView {
  const { stdout, redactor } = environment;
  return {
    palette: createColors(wantsColor(environment, stdout, global.color)),
    width: columnsOf(environment, stdout),
    redact: redactor.redact,
    ascii: isAsciiLocale(environment.env),
  };
}

const signs = { passed: "✓", failed: "✗", errored: "!", skipped: "–" } as const;

/** What became of a case, and the transcripts of its trials: one for those that ended alike, or with `all` each. */
export function renderCase(
  test: TestResult,
  trials: readonly TrialResult[],
  { all, first, view }: { all: boolean; first: number | null; view: TranscriptView },
): string {
  const { palette, redact } = view;
  const line = (text: string): string => shownLine(redact(text), view.ascii);
  const { trials: how, help } = renderExecution(test);
  const facts = [test.status, how, ...help].filter((fact) => fact !== "").join(", ");
  const place = test.position === null ? [] : [`  ${palette.dim(line(`${test.position.file}:${test.position.line}`))}`];
  const groups = all ? trials.map((shown) => ({ shown, trials: [shown.trial] })) : groupTrials(trials, first);
  return `${[
    ...headLine(`${signOf(test.status, view)} `, `${palette.bold(line(test.id))}  ${facts}`, view),
    ...place,
    ...groups.flatMap((group) => ["", ...renderGroup(group, line, view), "", ...drawTranscript(group.shown, view)]),
  ].join("\n")}\n`;
}

function renderGroup({ shown, trials }: TrialGroup, line: (text: string) => string, view: TranscriptView): string[] {
  const { trial, status, durationMs, attempts, costUsd, servedBy, gateway, fresh } = shown;
  const alike =
    trials.length === 1 ? "" : ` · trials ${new Intl.ListFormat("en").format(trials.map(String))} ended alike`;
  const facts = [
    renderDuration(durationMs),
    plural(attempts, "request"),
    ...(costUsd === null ? [] : [renderUsd(costUsd)]),
    ...(servedBy === null ? [] : [servedBy]),
    ...(gateway?.programs ?? []),
    ...(fresh === true ? ["extra trial"] : []),
  ];
  return [
    ...headLine(`${signOf(status, view)} `, `trial ${trial}: ${status}${alike}`, view),
    ...headLine("  ", view.palette.dim(line(facts.join(" · "))), view),
  ];
}

export function headLine(sign: string, text: string, { width }: TranscriptView): string[] {
  return hangWidth(sign, text, width - 1);
}

export function signOf(status: TestResult["status"], { palette }: TranscriptView): string {
  const paint = { passed: palette.green, failed: palette.red, errored: palette.magenta, skipped: palette.dim }[status];
  return paint(signs[status]);
}

/** Trials that ended alike, in the order of the first of each group. */
interface TrialGroup {
  /** Its transcript stands for all. */
  shown: TrialResult;
  /** Numbers of the trials, that of the shown one included. */
  trials: readonly number[];
}

/**
 * Groups trials with the same status, the same calls with the same arguments and outcomes, and the same failing
 * assertions. What the agent said may differ. The trial `first`, if it is among them, is shown, and its group comes first.
 */
function groupTrials(trials: readonly TrialResult[], first: number | null): TrialGroup[] {
  const groups = new Map<string, { shown: TrialResult; trials: number[] }>();
  for (const trial of trials) {
    const key = pathOf(trial);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { shown: trial, trials: [trial.trial] });
    else {
      group.trials.push(trial.trial);
      if (trial.trial === first) group.shown = trial;
    }
  }
  const isFirst = ({ shown }: TrialGroup): boolean => shown.trial === first;
  return [...groups.values()].toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
}

function pathOf({ status, error, toolCalls, assertions }: TrialResult): string {
  const calls = toolCalls.map(({ tool, args, error: failure, fault }) => [tool, args, failure?.errorType, fault?.id]);
  return JSON.stringify([status, error?.code, calls, failingAssertions(assertions).map(({ type, id }) => [type, id])]);
}
