import { described, list } from "../../shape/compound.js";
import { record } from "../../shape/record.js";
import { flag, rate, share, text } from "../../shape/scalars.js";
import type { Static } from "../../shape/shape.js";

/** What a judge said once. */
export const judgeVoteShape = record(
  {
    /** From 0 to 1. */
    score: rate,
    /** Whether the score reaches the threshold. */
    pass: flag,
    reasoning: text,
    /** Id of the model that said it. */
    model: text,
  },
  {
    /** The scores of a rubric's items, in its order; absent without items. */
    items: described("Scores of the items of a rubric", list(record({ item: text, score: rate }))),
  },
);
export type JudgeVote = Static<typeof judgeVoteShape>;

/** What a judge, asked once or several times, came to. */
export const judgeFindingShape = record({
  threshold: share,
  /** Highest score less the lowest; 0 for one vote. */
  spread: described("Highest score less the lowest", rate),
  votes: list(judgeVoteShape),
});
export type JudgeFinding = Static<typeof judgeFindingShape>;

/** The score that must be reached where nothing else is said. */
export const builtinThreshold = 0.7;

/** Means of scores such as 0.1 miss a threshold by a rounding error. */
const tolerance = 1e-9;

export function reaches(score: number, threshold: number): boolean {
  return score >= threshold - tolerance;
}

/** The one in the middle, or the mean of the two there. `scores` holds at least one. */
export function medianOf(scores: readonly number[]): number {
  const sorted = scores.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

export function toFinding(votes: readonly JudgeVote[], threshold: number): JudgeFinding {
  const scores = votes.map(({ score }) => score);
  return { threshold, votes, spread: Math.max(...scores) - Math.min(...scores) };
}
