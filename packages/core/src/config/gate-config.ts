import type { ToolErrorType } from "../transcript/tool-failure.js";

/** `gates`: what a run must come to. */
export interface GateConfig {
  passRate?: number;
  firstTry?: number;
  errored?: number;
  costUsd?: number;
  latencyP95Ms?: number;
  /** Calls of tools that ended in an error; `total` counts all types. */
  toolErrors?: Partial<Record<ToolErrorType | "total", number>>;
}
