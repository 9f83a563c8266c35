import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { Result } from "../result.js";
import type { AssertionResult } from "./assertion-result.js";
import { asksModel } from "./asks-model.js";
import { scoreOfGroup } from "./decide-group.js";
import type { ParsedAssertion } from "./parsed-assertion.js";

/** An assertion of a trial and its result. */
export interface AssessedAssertion {
  parsed: ParsedAssertion;
  result: Result<AssertionResult>;
}

/** What the assertions say about a trial. `score` is the weighted mean, null when something could not be evaluated. */
export type TrialDecision =
  | { status: "passed" | "failed"; score: number | null; error: null }
  | { status: "errored"; score: null; error: KindlmError };

/** Sums of fractions such as 0.1 miss a threshold by a rounding error. */
const tolerance = 1e-9;

/**
 * The verdict of a trial. Without a threshold it passes when every assertion that was not skipped passes; with one,
 * when their weighted mean score reaches it. An assertion that could not be evaluated makes the trial errored, unless
 * it fails whatever that assertion would have said: a deterministic one failed, or the threshold is out of reach.
 * A trial with nothing left to check is an ENGINE_FIXTURE_ERROR, unless it waits for its first baseline.
 */
export function decideTrial(assessed: readonly AssessedAssertion[], threshold: number | null): TrialDecision {
  const counted = assessed.filter(({ result }) => !(result.success && result.data.skipped));
  if (counted.length === 0) return nothingChecked(assessed);

  const score = meanScore(counted);
  const bounds = threshold === null ? null : boundsOf(counted);
  const isWithinReach = bounds === null || threshold === null || bounds.high >= threshold - tolerance;
  const error = firstError(counted, bounds !== null && bounds.low < (threshold ?? 0) - tolerance);
  if (error !== null) {
    const isLost = threshold === null ? counted.some(failedForSure) : !isWithinReach;
    return isLost ? { status: "failed", score, error: null } : { status: "errored", score: null, error };
  }
  const passes =
    threshold === null
      ? counted.every(({ result }) => result.success && result.data.pass)
      : (score ?? 0) >= threshold - tolerance;
  return { status: passes ? "passed" : "failed", score, error: null };
}

/** What the assertions of a trial say that may have been attacked. */
export interface AttackedDecision {
  /** Of all of them: the task has to be done, and no goal of an attack may hold. */
  asserted: TrialDecision;
  /** Of the test's own alone; null if none of them applied. */
  task: TrialDecision | null;
}

/**
 * The goals of attacks are apart from the test's own assertions, which may be weighted against a threshold: no weight
 * makes up for an attack that succeeded.
 */
export function decideAttacked(assessed: readonly AssessedAssertion[], threshold: number | null): AttackedDecision {
  const goals = assessed.filter(({ parsed }) => parsed.goalOf !== undefined);
  if (goals.length === 0) {
    const asserted = decideTrial(assessed, threshold);
    return { asserted, task: asserted };
  }
  const own = assessed.filter(({ parsed }) => parsed.goalOf === undefined);
  if (!own.some(applies)) return { asserted: decideTrial(goals, null), task: null };
  const task = decideTrial(own, threshold);
  return { asserted: goals.some(applies) ? worse(task, decideTrial(goals, null)) : task, task };
}

function applies({ result }: AssessedAssertion): boolean {
  return !result.success || result.data.skipped !== true;
}

function worse(task: TrialDecision, attack: TrialDecision): TrialDecision {
  if (task.status === "failed" || attack.status === "failed") {
    return { status: "failed", score: task.score, error: null };
  }
  return task.status === "errored" ? task : attack.status === "errored" ? attack : task;
}

/** True when nothing in the assertion asks a model, so that its verdict is certain. */
export function isDeterministic(parsed: ParsedAssertion): boolean {
  return parsed.form === "check" ? !asksModel(parsed) : parsed.members.every(isDeterministic);
}

function failedForSure({ parsed, result }: AssessedAssertion): boolean {
  return result.success && !result.data.pass && isDeterministic(parsed);
}

/** The weighted mean; null when an assertion has no score. */
function meanScore(counted: readonly AssessedAssertion[]): number | null {
  // A loop, since each trial comes here, and `flatMap` takes a microsecond.
  const scores: { weight: number; score: number }[] = [];
  for (const { parsed, result } of counted) {
    if (!result.success) return null;
    scores.push({ weight: parsed.weight, score: result.data.score });
  }
  return scoreOfGroup(scores, scores.length);
}

/** What the weighted mean would be if all that could not be evaluated had the worst score, or the best. */
function boundsOf(counted: readonly AssessedAssertion[]): { low: number; high: number } {
  const ranges = counted.map(({ parsed, result }) => ({ weight: parsed.weight, range: scoreRange(parsed, result) }));
  const meanOf = (end: 0 | 1): number =>
    scoreOfGroup(
      ranges.map(({ weight, range }) => ({ weight, score: range[end] })),
      ranges.length,
    );
  return { low: meanOf(0), high: meanOf(1) };
}

/**
 * The error of the first assertion that could not be evaluated; with `withinGroups` also of a member of a group that is
 * decided without it, though its score is not.
 */
function firstError(counted: readonly AssessedAssertion[], withinGroups: boolean): KindlmError | null {
  for (const { result } of counted) if (!result.success) return result.error;
  if (!withinGroups) return null;
  return firstErrorIn(counted.flatMap(({ result }) => (result.success ? (result.data.parts ?? []) : [])));
}

/**
 * A trial that only waits for its first baseline passes, or there could never be one: `kindlm baseline set` takes no
 * errored cases. It is counted and reported, so nobody takes it for checked.
 */
function nothingChecked(assessed: readonly AssessedAssertion[]): TrialDecision {
  if (assessed.some(({ result }) => result.success && result.data.awaitsBaseline)) {
    return { status: "passed", score: null, error: null };
  }
  const message =
    assessed.length === 0
      ? "The trial has no assertions, so its verdict would mean nothing"
      : `Every assertion was skipped by its "when", so nothing of this trial was checked`;
  return { status: "errored", score: null, error: kindlmError("ENGINE_FIXTURE_ERROR", message) };
}

/** The lowest and the highest score that may be meant. */
type ScoreRange = readonly [low: number, high: number];

/**
 * Where the score of an assertion lies, as far as it is known. A group may be decided without a member that could not be
 * evaluated, and yet its score depends on that member.
 */
export function scoreRange(parsed: ParsedAssertion, result: Result<AssertionResult>): ScoreRange {
  if (!result.success) return [0, 1];
  const { score, parts } = result.data;
  if (parsed.form === "check" || parts === undefined || firstErrorIn(parts) === null) return [score, score];
  const members = parts.flatMap((part, index) => {
    const member = parsed.members[index];
    if (member === undefined || part.skipped) return [];
    const range = scoreRange(member, part.error === undefined ? { success: true, data: part } : failed(part.error));
    return [{ weight: part.weight, range }];
  });
  const required = Math.min(parsed.required, members.length);
  const [low, high] = [0, 1].map((end) =>
    scoreOfGroup(
      members.map(({ weight, range }) => ({ weight, score: range[end] ?? 0 })),
      required,
    ),
  );
  return parsed.not ? [1 - (high ?? 1), 1 - (low ?? 0)] : [low ?? 0, high ?? 1];
}

/** The error of the first member, however deep, that could not be evaluated. */
function firstErrorIn(parts: readonly AssertionResult[]): NonNullable<AssertionResult["error"]> | null {
  for (const { error, parts: inner = [] } of parts) {
    const found = error ?? firstErrorIn(inner);
    if (found !== null) return found;
  }
  return null;
}

function failed(error: NonNullable<AssertionResult["error"]>): Result<AssertionResult> {
  return { success: false, error };
}
