import type { KindlmError } from "../errors/kindlm-error.js";

/** One HTTP try of a turn. */
export interface AttemptRecord {
  /** From 1 within the turn, those of fallback models included. */
  attempt: number;
  /** Name of the provider in the config. */
  provider: string;
  /** Time spent waiting for the provider. */
  latencyMs: number;
  error: KindlmError | null;
  requestId: string | null;
  /** How long was waited before the next attempt; null when there was none. */
  waitedMs: number | null;
  /** True where a recording answered; `latencyMs` is then that of the recording. */
  replayed?: true;
}

/** Whether anything went over the network: not where the key is missing, say. */
export function wasSent({ error }: AttemptRecord): boolean {
  const details = error?.details;
  return details === undefined || !("sent" in details) || details.sent !== false;
}
