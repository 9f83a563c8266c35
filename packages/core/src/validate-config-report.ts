import type { Diagnostic } from "./errors/diagnostic.js";

/** What `validate` finds out without calling any model. */
export interface ValidationReport {
  files: readonly string[];
  /** Errors and warnings, in the order of the files. */
  diagnostics: readonly Diagnostic[];
  suites: readonly { name: string; status: "ready" | "broken"; tests: number; cases: number; trials: number }[];
  /** The plug-ins that a run loads, in their order; absent when there are none. */
  plugins?: readonly { name: string; module: string; hooks: readonly string[] }[];
  /** The fewest requests to models that a run makes: one per trial and user message. */
  modelCalls: number;
}

/** What `--list` shows. */
export interface CaseList {
  cases: readonly ListedCase[];
  /** What keeps suites from running. */
  diagnostics: readonly Diagnostic[];
  /** False if some cases are unknown, because a file cannot be read. */
  isWhole: boolean;
}

/** One case as `--list` shows it. */
export interface ListedCase {
  id: string;
  suite: string;
  name: string;
  model: string;
  row: string | null;
  prompt: string | null;
  /** The fault that has this case for itself; null in any other case. */
  fault: string | null;
  tags: readonly string[];
  runs: number;
  /** Why it would not run; null when it would. */
  skip: string | null;
}
