import type { RunResult } from "../engine/run-result.js";
import type { Result } from "../result.js";

// Apart from readRun, since the declarations of the package must not reach the types of zod, which it takes in.

/** A finished run, read back. */
export interface LoadedRun {
  /** As `runTests` gave it. `trials` rejects if the journal is damaged. */
  result: RunResult;
  /** The configs that it was asked to run, relative to `cwd`; empty for the default and for a config object. */
  paths: readonly string[];
  /**
   * Finds the trials in the journal, which `trials` does at its first use otherwise. Fails with STORE_CORRUPT if the
   * journal is damaged.
   */
  findTrials(): Promise<Result<void>>;
}
