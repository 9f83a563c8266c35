import type { RunResult } from "@kindlm/core";

/** All that CI systems need: 0 passed, 1 everything else. */
export type ExitCode = 0 | 1;

/** Core decides; printed verdict and exit code come from the same field. */
export function exitCodeOf(result: RunResult): ExitCode {
  return result.exitCode;
}
