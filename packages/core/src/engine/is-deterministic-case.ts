import type { PlannedCase } from "../plan/run-plan.js";

/**
 * Whether the same agent would do the same again: every model in the conversation and every judge is scripted and draws no lots, or
 * recordings answer for all of them. Programs always do as they please.
 */
export function isDeterministicCase({ model, fallbacks, simulator, judges }: PlannedCase, isReplay: boolean): boolean {
  if (model === null) return false;
  if (isReplay) return true;
  const asked = [...judges.values()].flatMap(({ models }) => models);
  const others = [...fallbacks, ...(simulator ?? []), ...asked];
  return model.deterministic && others.every((other) => other.model.deterministic);
}
