import { everyTurn } from "../../transcript/delegated-calls.js";
import { spentUsdOf } from "../../transcript/turn.js";
import type { TrialResult } from "../run-result.js";

/** What is known of the cost of a trial, US dollars, also where a part of it is not: agent, simulated user, judges. */
export function knownCostOf(trial: TrialResult): number {
  // A transcript contains the sum, and none of its parts.
  if (trial.recorded === true && trial.costUsd !== null) return trial.costUsd;
  let usd = 0;
  for (const turn of everyTurn(trial)) usd += turn.costUsd ?? 0;
  for (const call of trial.gateway?.embeddings?.calls ?? []) usd += call.costUsd ?? 0;
  for (const call of trial.simulatedUser?.calls ?? []) usd += call.costUsd ?? 0;
  for (const call of trial.judging?.calls ?? []) usd += call.costUsd ?? 0;
  for (const assertion of trial.assertions) usd += assertion.costUsd ?? 0;
  return usd;
}

/** The same without what recordings answered, which is not paid again. */
export function paidCostOf(trial: TrialResult): number {
  let usd = 0;
  for (const turn of everyTurn(trial)) usd += spentUsdOf(turn);
  for (const call of trial.gateway?.embeddings?.calls ?? []) usd += spentUsdOf(call);
  for (const call of trial.simulatedUser?.calls ?? []) usd += spentUsdOf(call);
  for (const call of trial.judging?.calls ?? []) usd += spentUsdOf(call);
  for (const assertion of trial.assertions) usd += assertion.costUsd ?? 0;
  return usd;
}
