import { success } from "../result.js";
import type { TrialStore } from "./ports.js";
import type { TrialResult } from "./run-result.js";

/** Keeps the finished trials of a run in memory. */
export function createMemoryTrialStore(): TrialStore {
  const byCase = new Map<string, TrialResult[]>();
  return {
    append(trial) {
      const known = byCase.get(trial.caseId);
      if (known === undefined) byCase.set(trial.caseId, [trial]);
      else known.push(trial);
      return success(undefined);
    },
    flush: () => Promise.resolve(),
    async *read(caseId) {
      yield* (byCase.get(caseId) ?? []).toSorted((a, b) => a.trial - b.trial);
    },
  };
}
