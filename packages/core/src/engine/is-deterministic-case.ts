import type { PlannedCase } from "../plan/run-plan.js";

/**
 * Whether the same agent would do the same again, with the same verdict: every model in the conversation and every one
 * that assertions ask is scripted and draws no lots, or recordings answer for all of them. Programs always do as they please.
 */
export function isDeterministicCase(planned: PlannedCase, isReplay: boolean): boolean {
  const { model, fallbacks, simulator, judges, embedders } = planned;
  if (model === null) return false;
  if (isReplay) return true;
  const asked = [...judges.values(), ...embedders.values()].flatMap(({ models }) => models);
  const others = [...fallbacks, ...(simulator ?? []), ...asked];
  return model.deterministic && others.every((other) => other.model.deterministic);
}
