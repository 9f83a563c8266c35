import type { KindlmError } from "../errors/kindlm-error.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { AuxiliaryTotals } from "../transcript/auxiliary-totals.js";

/** Where a label stands. */
export interface LabelPlace {
  /** As the user typed it. */
  file: string;
  /** From 1. */
  line: number;
}

export type Verdict = "pass" | "fail";

/** A label that the judge does not agree with. */
export interface Disagreement extends LabelPlace {
  human: Verdict;
  judge: Verdict;
  /** What the human gave; null where the label is a verdict alone. */
  humanScore: number | null;
  score: number;
  /** Of the vote that is nearest to the score. */
  reasoning: string;
  /** The answer that was judged. */
  output: string;
}

/** How well a judge agrees with people. */
export interface CalibrationReport {
  isPassing: boolean;
  /** Whether it was said what is good enough. */
  isGated: boolean;
  /** Why it is not passing, one sentence each; empty where it is. */
  reasons: readonly string[];
  /** Id of the judge. */
  judge: string;
  threshold: number;
  samples: number;
  /** Lines with a label. */
  labels: number;
  /** Labels that the judge gave a score for. */
  judged: number;
  /** Share of the judged ones where both say the same, with Wilson's 95% interval; null when none was judged. */
  agreement: { rate: number; interval: readonly [number, number] } | null;
  /** Cohen's kappa, with a 95% interval; the value is null where human and judge use one and the same verdict only. */
  kappa: { value: number | null; interval: readonly [number, number] | null } | null;
  /** Labels by what the human said, then by what the judge said. */
  confusion: Readonly<Record<Verdict, Readonly<Record<Verdict, number>>>>;
  /** Over the labels with a score; null when none has one. */
  meanAbsoluteError: number | null;
  /** The worst first. */
  disagreements: readonly Disagreement[];
  /** Labels that could not be judged; they count neither way. */
  errors: readonly (LabelPlace & { error: KindlmError })[];
  /** Absent when no judge was asked. */
  judging: AuxiliaryTotals | null;
  warnings: readonly Diagnostic[];
}
