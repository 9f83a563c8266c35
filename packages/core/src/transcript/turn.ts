import type { AttemptRecord } from "./attempt.js";
import type { Usage } from "./usage.js";

/** One request to the model and its reply. */
export interface TurnRecord {
  /** From 1 within the trial. */
  turn: number;
  userTurn: number;
  latencyMs: number;
  usage: Usage | null;
  costUsd: number | null;
  finishReason: string | null;
  /** The model that answered, as its provider names it. */
  servedBy: string | null;
  /** Id of the model that answered in place of the one that was asked; null when that one did. */
  fallback: string | null;
  /** Null when the answer was not streamed. */
  timeToFirstTokenMs: number | null;
  attempts: readonly AttemptRecord[];
  /** True where a recording answered: its latency tells nothing of the provider as it is now, and nothing was paid. */
  replayed?: true;
  /** Of the program that gave the answer and ended with it. */
  exitCode?: number;
  /** What that program wrote to stdout. */
  stdout?: string;
  /** The try of its user turn that it belongs to, where the answer was rejected and the conversation rolled back. */
  rejectedTry?: number;
}

/** US dollars that the turn took from the budget of the run; 0 where the cost is unknown. A recording costs nothing again. */
export function spentUsdOf({ replayed, costUsd }: Pick<TurnRecord, "replayed" | "costUsd">): number {
  return replayed === true ? 0 : (costUsd ?? 0);
}
