import type { AssertionResult } from "../assertions/assertion-result.js";
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
interface EndedConversation {
  transcript: Transcript;
  before: DecidedBefore | null;
  simulator: { readonly stoppedBy: ConversationEnd | null } | null;
  /** What became of its folder; absent if it had none. */
  workspace?: WorkspaceRecord | undefined;
}

/** Evaluates a trial that was not stopped. Its assertions are not evaluated on answers that were rejected. */
export async function evaluateConversation(
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
