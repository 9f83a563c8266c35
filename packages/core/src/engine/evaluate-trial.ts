import { costOfResults, type AssertionResult } from "../assertions/assertion-result.js";
import type { AssertionContext } from "../assertions/define-assertion.js";
import { evaluateParsed } from "../assertions/evaluate-parsed.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import {
  decideAttacked,
  isDeterministic,
  type AssessedAssertion,
  type TrialDecision,
} from "../assertions/score-trial.js";
import type { SourcePosition } from "../errors/source-position.js";
import { success, type Result } from "../result.js";
import type { Trial } from "../transcript/trial.js";
import { maskSensitive } from "./mask-sensitive.js";
import { evaluateOnBoth } from "./retry-until/evaluate-on-both.js";

export interface EvaluationSettings {
  threshold: number | null;
  context: AssertionContext;
  /** The trial with the tool calls of rejected tries too; absent or null where there are none. */
  everything?: Trial | null;
  /** What is offered if an assertion fails. */
  offers?: ReadonlyMap<ParsedAssertion, string> | undefined;
  /** `at`: when it was found, milliseconds since the epoch. */
  onResult(result: AssertionResult, at: number): void;
}

export interface EvaluatedTrial {
  assertions: readonly AssertionResult[];
  /** US dollars that the user's own checks cost. */
  costUsd: number;
  /** What the assertions say; null if there were none to ask. */
  asserted: TrialDecision | null;
  /** The same without the goals of attacks; null if none of the test's own assertions applied. */
  task: TrialDecision | null;
}

/** Evaluates the assertions of a finished conversation, deterministic ones first. */
export async function evaluateTrial(
  assertions: readonly ParsedAssertion[],
  trial: Trial,
  settings: EvaluationSettings,
): Promise<EvaluatedTrial> {
  const assessed: AssessedAssertion[] = [];
  const times: number[] = [];
  const { clock } = settings.context;
  for (const parsed of inEvaluationOrder(assertions)) {
    const evaluation = evaluate(parsed, trial, settings);
    const result = evaluation instanceof Promise ? await evaluation : evaluation;
    assessed.push({ parsed, result: withOffer(result, settings.offers?.get(parsed)) });
    times.push(clock.now());
  }
  const results = assessed.map(toShown);
  // What one assertion found to be personal, another may have quoted.
  maskSensitive({ assertions: results }).assertions.forEach((result, index) =>
    settings.onResult(result, times[index] ?? clock.now()),
  );
  const { asserted, task } = decideAttacked(assessed, settings.threshold);
  return { assertions: results, costUsd: costOfResults(results), asserted, task };
}

/**
 * Assertions that ask a model come after all that need none, and the goals of attacks after the test's own; it is the order
 * of their results.
 */
function inEvaluationOrder(assertions: readonly ParsedAssertion[]): readonly ParsedAssertion[] {
  // Most tests have neither, and each of their trials comes here.
  return assertions.every((parsed) => rankOf(parsed) === 0)
    ? assertions
    : assertions.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(parsed: ParsedAssertion): number {
  return (parsed.goalOf === undefined ? 0 : 2) + (isDeterministic(parsed) ? 0 : 1);
}

/** Where the config has what the results of a trial are of; `positions` are those of the assertions as written. */
export function positionsOfResults(
  assertions: readonly ParsedAssertion[],
  positions: readonly SourcePosition[],
): readonly SourcePosition[] {
  const found = new Map(assertions.map((parsed, index) => [parsed, positions[index]]));
  return inEvaluationOrder(assertions).flatMap((parsed) => found.get(parsed) ?? []);
}

function withOffer(result: Result<AssertionResult>, offer: string | undefined): Result<AssertionResult> {
  if (offer === undefined || !result.success || result.data.pass) return result;
  return success({ ...result.data, message: `${result.data.message}.\n${offer}` });
}

function evaluate(
  parsed: ParsedAssertion,
  trial: Trial,
  { context, everything = null }: EvaluationSettings,
): ReturnType<typeof evaluateParsed> {
  return everything === null
    ? evaluateParsed(parsed, trial, context)
    : evaluateOnBoth(parsed, { standing: trial, everything }, context);
}

/** An assertion that could not be evaluated is shown with its error. */
function toShown({ parsed, result }: AssessedAssertion): AssertionResult {
  if (result.success) return result.data;
  const { error } = result;
  return {
    type: parsed.type,
    ...(parsed.id === undefined ? {} : { id: parsed.id }),
    weight: parsed.weight,
    pass: false,
    score: 0,
    message: error.message,
    durationMs: 0,
    error,
  };
}
