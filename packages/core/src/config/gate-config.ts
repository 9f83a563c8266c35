import type { ToolErrorType } from "../transcript/tool-failure.js";

/** `gates`: what a run or a suite must come to. */
export interface GateConfig {
  passRate?: number;
  firstTry?: number;
  errored?: number;
  costUsd?: number;
  latencyP95Ms?: number;
  /** Mean score of the `judge` assertions, from 0 to 1. */
  judgeAvg?: number;
  /** Calls of tools that ended in an error; `total` counts all types. */
  toolErrors?: Partial<Record<ToolErrorType | "total", number>>;
  /** Cases that are flagged as worse than the baseline. */
  regressions?: number;
  /** Whether a comparison with the baseline that decides nothing trips; absent for `pass`. */
  onInconclusive?: "pass" | "fail";
}
