import type { KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { Result } from "../result.js";
import type { EnginePorts, TrialOrigin } from "./ports.js";
import type { TrialResult } from "./run-result.js";

/** Finished trials that may wait for the disk at a time. */
const mostUnkept = 2_048;

/** Hands finished trials to the store, and says that they are over once it has them. */
export interface TrialKeeper {
  /**
   * Resolves when there is room for the next trial, mostly before this one is on the disk. `told` is called when its end
   * was told.
   */
  keep(trial: TrialResult, planned: PlannedCase, origin: TrialOrigin, told?: () => void): Promise<void>;
  /** Resolves when the end of every trial was told. */
  settled(): Promise<void>;
  /** Why the first of those that could not be kept was not; null when all could. */
  readonly error: KindlmError | null;
}

export function createTrialKeeper({
  trials,
  emit,
  clock,
}: Pick<EnginePorts, "trials" | "emit" | "clock">): TrialKeeper {
  let storeError: KindlmError | null = null;
  let unkept = 0;
  /** Trials are kept about in the order in which they are handed over. */
  let lastKept: Promise<void> | null = null;

  const heed = (kept: Result<void>): void => {
    if (kept.success || storeError !== null) return;
    const { error } = kept;
    storeError = error;
    emit({ channel: "monitor", type: "error", severity: "warn", phase: "store", message: error.message, error });
  };

  const allKept = async (): Promise<void> => {
    await trials.flush();
    await lastKept;
  };

  return {
    async keep(result, planned, origin, told) {
      // What waits for the disk holds no transcript.
      const { status, costUsd, trial } = result;
      const endedAt = clock.now();
      const settle = (kept: Result<void>): void => {
        const ref = { suite: planned.suite, caseId: planned.id, trial };
        emit({ channel: "progress", type: "trial:end", ...ref, status, costUsd }, endedAt);
        heed(kept);
        told?.();
      };
      const keeping = trials.append(result, planned, origin);
      if (!(keeping instanceof Promise)) return settle(keeping);
      unkept += 1;
      lastKept = keeping.then((kept) => {
        unkept -= 1;
        return settle(kept);
      });
      if (unkept >= mostUnkept) await allKept();
    },
    async settled() {
      // The last to be handed over need not be the last to be told, and no case may be missing.
      while (unkept > 0) await allKept();
    },
    get error() {
      return storeError;
    },
  };
}
