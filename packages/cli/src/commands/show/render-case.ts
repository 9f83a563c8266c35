import type { TestResult, TrialResult } from "@kindlm/core";
import { plural, renderDuration, visibleLine } from "@kindlm/core/program";
import { renderExecution } from "../../reporters/render-execution.js";
import { drawTranscript, type TranscriptView } from "../../transcript/draw-transcript.js";
import { hangWidth } from "../../terminal/text-width.js";
import { groupTrials, type TrialGroup } from "../../transcript/group-trials.js";

const signs = { passed: "✓", failed: "✗", errored: "!", skipped: "–" } as const;

/** One line for each case, with the number that `kindlm show` takes if they are numbered. */
export function renderCaseList(tests: readonly TestResult[], isNumbered: boolean, view: TranscriptView): string {
  const columns = String(tests.length).length;
  const lines = tests.map((test, index) => {
    const number = isNumbered ? `${String(index + 1).padStart(columns)}  ` : "";
    return `${number}${signOf(test.status, view)} ${visibleLine(view.redact(test.id))}`;
  });
  return `${lines.join("\n")}\n`;
}

/** What became of a case, and the transcripts of its trials: one for those that ended alike, or with `all` each. */
export function renderCase(
  test: TestResult,
  trials: readonly TrialResult[],
  { all, view }: { all: boolean; view: TranscriptView },
): string {
  const { palette, redact } = view;
  const line = (text: string): string => visibleLine(redact(text));
  const { trials: how, help } = renderExecution(test);
  const facts = [test.status, how, ...help].filter((fact) => fact !== "").join(", ");
  const place = test.position === null ? [] : [`  ${palette.dim(line(`${test.position.file}:${test.position.line}`))}`];
  const groups = all ? trials.map((shown) => ({ shown, trials: [shown.trial] })) : groupTrials(trials);
  return `${[
    ...headLine(`${signOf(test.status, view)} `, `${palette.bold(line(test.id))}  ${facts}`, view),
    ...place,
    ...groups.flatMap((group) => ["", ...renderGroup(group, line, view), "", ...drawTranscript(group.shown, view)]),
  ].join("\n")}\n`;
}

function renderGroup({ shown, trials }: TrialGroup, line: (text: string) => string, view: TranscriptView): string[] {
  const { trial, status, durationMs, attempts, costUsd, servedBy, fresh } = shown;
  const alike =
    trials.length === 1 ? "" : ` · trials ${new Intl.ListFormat("en").format(trials.map(String))} ended alike`;
  const facts = [
    renderDuration(durationMs),
    plural(attempts, "request"),
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(4)}`]),
    ...(servedBy === null ? [] : [servedBy]),
    ...(fresh === true ? ["confirmation"] : []),
  ];
  return [
    ...headLine(`${signOf(status, view)} `, `trial ${trial}: ${status}${alike}`, view),
    ...headLine("  ", view.palette.dim(line(facts.join(" · "))), view),
  ];
}

function headLine(sign: string, text: string, { width }: TranscriptView): string[] {
  return hangWidth(sign, text, width - 1);
}

function signOf(status: TestResult["status"], { palette }: TranscriptView): string {
  const paint = { passed: palette.green, failed: palette.red, errored: palette.magenta, skipped: palette.dim }[status];
  return paint(signs[status]);
}
