import type { AssertionResult } from "../assertions/assertion-result.js";
import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import type { Transcript } from "../targets/target.js";
import type { ConversationEnd } from "../transcript/simulated-user.js";
import type { WorkspaceRecord } from "../transcript/workspace-record.js";
import type { Trial } from "../transcript/trial.js";
import { buildTrial, type TrialTotals } from "./build-trial.js";
import { evaluateTrial, type EvaluatedTrial, type EvaluationSettings } from "./evaluate-trial.js";
import { standingOf } from "./retry-until/evaluate-on-both.js";

/** What was decided in the course of a conversation, and stands whatever its assertions say. */
export interface DecidedBefore {
  results: readonly AssertionResult[];
  /** US dollars that deciding cost. */
  costUsd: number;
}

/** The agent failed before its assertions. */
export function isLost(before: DecidedBefore | null): boolean {
  return before !== null && before.results.some(({ pass }) => !pass);
}

/** A conversation that came to an end, with what its assertions can ask about. */
export interface EndedConversation {
  transcript: Transcript;
  before: DecidedBefore | null;
  simulator: { readonly stoppedBy: ConversationEnd | null } | null;
  /** What became of its folder; absent if it had none. */
  workspace?: WorkspaceRecord | undefined;
}

/** Whether the test's own assertions hold; null if that is not known. */
export function isTaskDone(before: DecidedBefore | null, { task }: EvaluatedTrial): boolean | null {
  if (isLost(before)) return false;
  return task === null || task.status === "errored" ? null : task.status === "passed";
}

/** Evaluates a trial that was not stopped. Its assertions are not evaluated on answers that were rejected. */
export function evaluateConversation(
  { fault }: PlannedCase,
  { assertions, history }: RenderedCase,
  { transcript, before, simulator, workspace }: EndedConversation,
  totals: TrialTotals,
  settings: EvaluationSettings,
): Promise<EvaluatedTrial> {
  const build = (from: Transcript): Trial => {
    const trial = buildTrial(from, totals, history.length, fault.id, simulator);
    return workspace === undefined ? trial : { ...trial, workspace };
  };
  return before === null
    ? evaluateTrial(assertions, build(transcript), settings)
    : evaluateAfter(before, assertions, transcript, build, settings);
}

/** Evaluates a trial of which something was decided in its course. */
async function evaluateAfter(
  { results, costUsd }: DecidedBefore,
  assertions: readonly ParsedAssertion[],
  transcript: Transcript,
  build: (from: Transcript) => Trial,
  settings: EvaluationSettings,
): Promise<EvaluatedTrial> {
  for (const result of results) settings.onResult(result, settings.context.clock.now());
  const isRejected = results.some(({ type, pass }) => type === "retry_until" && !pass);
  // What an attacker wanted was done, or was not, whether anybody approved of the answer.
  const asked = isRejected ? assertions.filter(({ goalOf }) => goalOf !== undefined) : assertions;
  if (asked.length === 0) return { assertions: results, costUsd, asserted: null, task: null };
  const standing = standingOf(transcript);
  const everything = standing === transcript ? null : build(transcript);
  const evaluated = await evaluateTrial(asked, build(standing), { ...settings, everything });
  return {
    assertions: [...results, ...evaluated.assertions],
    costUsd: costUsd + evaluated.costUsd,
    asserted: isRejected ? null : evaluated.asserted,
    task: evaluated.task,
  };
}
