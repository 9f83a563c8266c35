import { reaches, type JudgeVote } from "../assertions/judging/judge-votes.js";
import type { EngineOutcome } from "../engine/run.js";
import type { TrialResult } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { CalibrateOptions } from "./calibrate-options.js";
import type { CalibrationReport, Disagreement, Verdict } from "./calibration-report.js";
import type { Label } from "./read-labels.js";
import { cohensKappa } from "../statistics/cohens-kappa.js";
import { kappaInterval } from "../statistics/kappa-interval.js";
import { wilsonInterval } from "../statistics/wilson.js";
import { plural } from "../values/plural.js";

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

/** A label and what the judge made of it. */
export interface JudgedLabel {
  human: Verdict;
  humanScore: number | null;
  judge: Verdict;
  score: number;
}

type Decided = Pick<
  CalibrationReport,
  "isPassing" | "isGated" | "reasons" | "agreement" | "kappa" | "confusion" | "meanAbsoluteError"
>;

/** How well both agree, and whether that is good enough. `unjudged`: labels that the judge gave no score for. */
export function decideCalibration(
  judged: readonly JudgedLabel[],
  unjudged: number,
  gates: Pick<CalibrateOptions, "minAgreement" | "minKappa">,
): Decided {
  const pairs = judged.map(({ human, judge }) => [human === "pass", judge === "pass"] as const);
  const agreed = pairs.filter(([human, judge]) => human === judge).length;
  const interval = wilsonInterval(agreed, pairs.length);
  const agreement = interval === null ? null : { rate: agreed / pairs.length, interval };
  const found = cohensKappa(pairs);
  const kappa = found === null ? null : { value: found.kappa, interval: kappaInterval(pairs) };
  const errors = judged.flatMap(({ humanScore, score }) => (humanScore === null ? [] : [Math.abs(humanScore - score)]));
  const reasons = [
    ...(judged.length === 0 && unjudged === 0 ? ["there is no label"] : []),
    ...(unjudged === 0 ? [] : [`${plural(unjudged, "label")} could not be judged`]),
    ...belowGate("agreement", agreement?.rate ?? null, gates.minAgreement),
    ...belowGate("kappa", kappa?.value ?? null, gates.minKappa),
  ];
  return {
    isPassing: reasons.length === 0,
    isGated: gates.minAgreement !== undefined || gates.minKappa !== undefined,
    reasons,
    agreement,
    kappa,
    confusion: { pass: countsOf(judged, "pass"), fail: countsOf(judged, "fail") },
    meanAbsoluteError: errors.length === 0 ? null : errors.reduce((sum, error) => sum + error, 0) / errors.length,
  };
}

/** A value that cannot be determined is not good enough. */
function belowGate(name: string, value: number | null, least: number | undefined): readonly string[] {
  if (least === undefined || (value !== null && value >= least)) return [];
  return [
    `${name} is ${value === null ? "unknown" : String(Math.round(value * 1_000) / 1_000)}, expected at least ${least}`,
  ];
}

function countsOf(judged: readonly JudgedLabel[], human: Verdict): Record<Verdict, number> {
  const own = judged.filter((one) => one.human === human);
  const pass = own.filter(({ judge }) => judge === "pass").length;
  return { pass, fail: own.length - pass };
}
