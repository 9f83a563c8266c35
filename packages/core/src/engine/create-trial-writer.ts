import type { KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { Result } from "../result.js";
import type { EnginePorts, TrialOrigin } from "./ports.js";
import type { TrialResult } from "./run-result.js";

/** Finished trials that may wait for the disk at a time. */
const maxPending = 2_048;

/** Hands finished trials to the store, and says that they are over once it has them. */
export interface TrialWriter {
  /**
   * Resolves when there is room for the next trial, mostly before this one is on the disk. `told` is called when its end
   * was told.
   */
  write(trial: TrialResult, planned: PlannedCase, origin: TrialOrigin, told?: () => void): Promise<void>;
  /** Resolves when the end of every trial was told. */
  settled(): Promise<void>;
  /** Why the first of those that could not be written was not; null when all could. */
  readonly error: KindlmError | null;
}

export function createTrialWriter({
  trials,
  emit,
  clock,
}: Pick<EnginePorts, "trials" | "emit" | "clock">): TrialWriter {
  let storeError: KindlmError | null = null;
  let pending = 0;
  /** Trials are written about in the order in which they are handed over. */
  let lastWrite: Promise<void> | null = null;

  const recordError = (written: Result<void>): void => {
    if (written.success || storeError !== null) return;
    const { error } = written;
    storeError = error;
    emit({ channel: "monitor", type: "error", severity: "warn", phase: "store", message: error.message, error });
  };

  const allWritten = async (): Promise<void> => {
    await trials.flush();
    await lastWrite;
  };

  return {
    async write(result, planned, origin, told) {
      // What waits for the disk holds no transcript.
      const { status, costUsd, trial } = result;
      const endedAt = clock.now();
      const settle = (written: Result<void>): void => {
        const ref = { suite: planned.suite, caseId: planned.id, trial };
        emit({ channel: "progress", type: "trial:end", ...ref, status, costUsd }, endedAt);
        recordError(written);
        told?.();
      };
      const writing = trials.append(result, planned, origin);
      if (!(writing instanceof Promise)) return settle(writing);
      pending += 1;
      lastWrite = writing.then((written) => {
        pending -= 1;
        return settle(written);
      });
      if (pending >= maxPending) await allWritten();
    },
    async settled() {
      // The last trial handed over need not be the last reported, and no case may be missing.
      while (pending > 0) await allWritten();
    },
    get error() {
      return storeError;
    },
  };
}
