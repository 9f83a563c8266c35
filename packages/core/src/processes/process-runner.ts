import type { Result } from "../result.js";

export interface ProcessRequest {
  /** Program and arguments; no shell. */
  command: readonly [string, ...string[]];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  stdin: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Bytes kept of each stream; the rest is dropped. Default 10 MiB. */
  maxBytes?: number;
}

export interface ProcessOutcome {
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** Why KindLM ended it, when it did. */
  endedBy: "timeout" | "abort" | null;
}

/** Runs a program to its end and leaves no process of its group behind. Fails only when it can not be started. */
export interface ProcessRunner {
  run(request: ProcessRequest): Promise<Result<ProcessOutcome, { message: string; cause: Error }>>;
}
