import { cohensKappa } from "../statistics/cohens-kappa.js";
import { kappaInterval } from "../statistics/kappa-interval.js";
import { wilsonInterval } from "../statistics/wilson.js";
import { plural } from "../values/plural.js";
import type { CalibrateOptions } from "./calibrate-options.js";
import type { CalibrationReport, Verdict } from "./calibration-report.js";

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
