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
  servedBy: string | null;
  attempts: readonly AttemptRecord[];
}
