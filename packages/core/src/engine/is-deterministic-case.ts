import type { PlannedCase } from "../plan/run-plan.js";

/**
 * Whether the same agent would do the same again: every model in the conversation is scripted and draws no lots, or
 * recordings answer for all of them. Programs always do as they please.
 */
export function isDeterministicCase({ model, fallbacks, simulator }: PlannedCase, isReplay: boolean): boolean {
  if (model === null) return false;
  if (isReplay) return true;
  const others = [...fallbacks, ...(simulator ?? [])];
  return model.deterministic && others.every((other) => other.model.deterministic);
}
