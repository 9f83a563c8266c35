import type { ReportAssertion, ReportJudge, ReportTrial } from "../report-detail.js";
import type { Label } from "./label-book.js";

/** A judge assertion of a trial, also inside of a group. */
export interface NamedJudge extends ReportJudge {
  /** Distinguishes it from the other judges of the trial. */
  name: string;
  pass: boolean;
  score: number;
}

/** The judges of a trial, by names that are unique. */
export function judgesOf(assertions: readonly ReportAssertion[]): readonly NamedJudge[] {
  const found = assertions.flatMap(ownJudges);
  return found.map((one, place) => {
    const earlier = found.slice(0, place).filter(({ name }) => name === one.name).length;
    return earlier === 0 ? one : { ...one, name: `${one.name} ${earlier + 1}` };
  });
}

function ownJudges({ id, type, userTurn, judge, pass, score, parts = [] }: ReportAssertion): readonly NamedJudge[] {
  const inParts = parts.flatMap(ownJudges);
  if (judge === undefined) return inParts;
  const turn = userTurn === undefined ? "" : `, user turn ${userTurn}`;
  return [{ ...judge, name: `${id ?? type}${turn}`, pass, score }, ...inParts];
}

/**
 * A label as `kindlm judge calibrate` reads it; null for one that has only a note, which calibration cannot use, and for
 * a trial without its conversation.
 */
export function exportLabel(label: Label, trial: ReportTrial, run: string): string | null {
  const { verdict, score, note } = label;
  if ((verdict === null && score === null) || trial.messages.length === 0) return null;
  const judges = judgesOf(trial.assertions);
  const judge = judges.find(({ name }) => name === label.judge) ?? judges[0];
  return JSON.stringify({
    messages: trial.messages,
    ...(verdict === null ? {} : { label: verdict }),
    ...(score === null ? {} : { score }),
    ...(judge === undefined || judge.criteria === null ? {} : { criteria: judge.criteria }),
    ...(note === "" ? {} : { note }),
    origin: { run, case: label.case, trial: label.trial },
  });
}
