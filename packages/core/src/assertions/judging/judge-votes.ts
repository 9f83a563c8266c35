/** What a judge said once. */
export interface JudgeVote {
  /** From 0 to 1. */
  score: number;
  /** Whether the score reaches the threshold. */
  pass: boolean;
  reasoning: string;
  /** The scores of a rubric's items, in its order; absent without items. */
  items?: readonly { item: string; score: number }[];
  /** Id of the model that said it. */
  model: string;
}

/** What a judge, asked once or several times, came to. */
export interface JudgeFinding {
  threshold: number;
  votes: readonly JudgeVote[];
  /** Highest score less the lowest; 0 for one vote. */
  spread: number;
}

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
