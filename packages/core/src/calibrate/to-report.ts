import { reaches, type JudgeVote } from "../assertions/judging/judge-votes.js";
import type { EngineOutcome } from "../engine/run.js";
import type { TrialResult } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { CalibrateOptions } from "./calibrate-options.js";
import type { CalibrationReport, Disagreement, Verdict } from "./calibration-report.js";
import { decideCalibration, type JudgedLabel } from "./decide-calibration.js";
import type { Label } from "./read-labels.js";

interface Told {
  outcome: EngineOutcome;
  trials: ReadonlyMap<string, TrialResult>;
  warnings: readonly Diagnostic[];
  judge: string;
  threshold: number;
  samples: number;
}

/** `labels` by the ids of their cases. */
export function toReport(
  labels: ReadonlyMap<string, Label>,
  { outcome, trials, warnings, judge, threshold, samples }: Told,
  gates: Pick<CalibrateOptions, "minAgreement" | "minKappa">,
): CalibrationReport {
  const judged: JudgedLabel[] = [];
  const disagreements: Disagreement[] = [];
  const errors: CalibrationReport["errors"][number][] = [];
  for (const [id, label] of labels) {
    const { file, line } = label;
    const trial = trials.get(id);
    const result = trial?.assertions[0];
    if (trial === undefined || result?.judge === undefined) {
      errors.push({ file, line, error: trial?.error ?? unasked(outcome) });
      continue;
    }
    const { score } = result;
    const human: Verdict = label.label ?? verdictOf(label.score ?? 0, threshold);
    const one = { human, humanScore: label.score, judge: verdictOf(score, threshold), score };
    judged.push(one);
    if (one.judge === human) continue;
    const reasoning = nearestVote(result.judge.votes, score)?.reasoning ?? "";
    disagreements.push({ file, line, ...one, reasoning, output: label.trial.output ?? "" });
  }
  return {
    ...decideCalibration(judged, errors.length, gates),
    judge,
    threshold,
    samples,
    labels: labels.size,
    judged: judged.length,
    disagreements: disagreements.toSorted((a, b) => wrongness(b, threshold) - wrongness(a, threshold)),
    errors,
    judging: outcome.totals.judges ?? null,
    warnings,
  };
}

function verdictOf(score: number, threshold: number): Verdict {
  return reaches(score, threshold) ? "pass" : "fail";
}

/** How far the score is from what the human said. */
function wrongness({ humanScore, score }: Disagreement, threshold: number): number {
  return Math.abs(score - (humanScore ?? threshold));
}

function nearestVote(votes: readonly JudgeVote[], score: number): JudgeVote | undefined {
  return votes.toSorted((a, b) => Math.abs(a.score - score) - Math.abs(b.score - score))[0];
}

function unasked({ stoppedBy, haltedBy }: EngineOutcome): KindlmError {
  return stoppedBy ?? kindlmError("ENGINE_ABORTED", `Not judged: ${haltedBy ?? "the calibration ended before"}`);
}
