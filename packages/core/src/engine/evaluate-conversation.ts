import type { AssertionResult } from "../assertions/assertion-result.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import type { Transcript } from "../targets/target.js";
import type { Trial } from "../transcript/trial.js";
import { standingOf } from "./build-trial.js";
import { evaluateTrial, type EvaluatedTrial, type EvaluationSettings } from "./evaluate-trial.js";

/** What was decided in the course of a conversation, and stands whatever its assertions say. */
export interface DecidedBefore {
  results: readonly AssertionResult[];
  /** US dollars that deciding cost. */
  costUsd: number;
}

/** Whether a result is from before the assertions of its test. */
export function isDecidedBefore({ type }: AssertionResult): boolean {
  return type === "retry_until" || type === "on_tool_error";
}

/** The agent failed before its assertions. */
export function isLost(before: DecidedBefore | null): boolean {
  return before !== null && before.results.some(({ pass }) => !pass);
}

/**
 * Evaluates a trial that was not stopped; its assertions are not evaluated on answers that were rejected. `build` makes
 * of a transcript what assertions see.
 */
export async function evaluateConversation(
  before: DecidedBefore | null,
  assertions: readonly ParsedAssertion[],
  transcript: Transcript,
  build: (transcript: Transcript) => Trial,
  settings: EvaluationSettings,
): Promise<EvaluatedTrial> {
  if (before === null) return evaluateTrial(assertions, build(transcript), settings);
  const { results, costUsd } = before;
  for (const result of results) settings.onResult(result, settings.context.clock.now());
  const isRejected = results.some(({ type, pass }) => type === "retry_until" && !pass);
  if (isRejected || assertions.length === 0) return { assertions: results, costUsd, asserted: null };
  const standing = standingOf(transcript);
  const everything = standing === transcript ? null : build(transcript);
  const evaluated = await evaluateTrial(assertions, build(standing), { ...settings, everything });
  return {
    assertions: [...results, ...evaluated.assertions],
    costUsd: costUsd + evaluated.costUsd,
    asserted: evaluated.asserted,
  };
}
