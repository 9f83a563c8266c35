import type { TrialResult } from "../engine/run-result.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { AttemptRecord } from "../transcript/attempt.js";

interface Asked {
  attempts: readonly AttemptRecord[];
}

/** Whether anything went wrong in it, the attempts that were made good included. */
export function hadErrors({ error, turns, simulatedUser, judging }: TrialResult): boolean {
  const helpers = [...(simulatedUser?.calls ?? []), ...(judging?.calls ?? [])];
  return error !== null || turns.some(hadFailures) || helpers.some(hadFailures);
}

/** The trial with every error of it changed: its own, and those of all attempts. */
export function mapErrors(trial: TrialResult, change: (error: KindlmError) => KindlmError): TrialResult {
  const { turns, simulatedUser, judging } = trial;
  const ofAttempts = <T extends Asked>(asked: T): T => ({
    ...asked,
    attempts: asked.attempts.map((one) => (one.error === null ? one : { ...one, error: change(one.error) })),
  });
  const mapped = { ...trial, turns: turns.map(ofAttempts) };
  if (mapped.status === "errored") mapped.error = change(mapped.error);
  if (simulatedUser !== undefined) {
    mapped.simulatedUser = { ...simulatedUser, calls: simulatedUser.calls.map(ofAttempts) };
  }
  if (judging !== undefined) mapped.judging = { ...judging, calls: judging.calls.map(ofAttempts) };
  return mapped;
}

function hadFailures({ attempts }: Asked): boolean {
  return attempts.some(({ error }) => error !== null);
}
