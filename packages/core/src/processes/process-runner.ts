import type { Result } from "../result.js";

export interface ProcessRequest {
  /** Program and arguments; no shell. */
  command: readonly [string, ...string[]];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** What is written to it, and then its end. Ignored with `converse`. */
  stdin: string;
  /** Talks with the program: takes the pen for its stdin, and gives what takes its stdout piece by piece. */
  converse?(stdin: ProcessInput): (chunk: Uint8Array) => void;
  timeoutMs: number;
  signal: AbortSignal;
  /** A program that writes more bytes to stdout is ended; of stderr the rest is dropped. Default 10 MiB. */
  maxBytes?: number;
  /** Keeps the last so many bytes of stderr instead of its first. */
  stderrTailBytes?: number;
  /** Takes all that the program writes, piece by piece; then nothing is kept of it, and no amount ends the program. */
  observe?(stream: "stdout" | "stderr", chunk: Uint8Array): void;
  /** Takes the program when it has started. */
  started?(program: RunningProgram): void;
  /** Milliseconds from SIGTERM to SIGKILL; 0: only the latter is sent. Default: 2,000 after a timeout, else 1,000. */
  graceMs?: number;
  /**
   * It makes a sandbox: it ends when its child does, so that is killed in its place and the end of both awaited. It gets none
   * of the files that were open when KindLM was started. What it writes to stderr is `said`; file 3 is the stderr of the
   * program in the sandbox.
   */
  makesSandbox?: true;
  /** Ends what it leaves running outside of its group, too, on systems that show the environment of processes. */
  endsStrays?: true;
}

/** A program that runs. */
export interface RunningProgram {
  /** Those of its sandbox, or those that its strays are found among; 0 if the system does not show them. */
  countProcesses(): number;
}

/** The stdin of a running program. What is written after its end, or after that of the program, is dropped. */
export interface ProcessInput {
  write(text: string): void;
  end(): void;
}

export interface ProcessOutcome {
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** Why KindLM ended it, when it did; `output`: it wrote more than was asked for. */
  endedBy: "timeout" | "abort" | "output" | null;
  /** What the maker of a sandbox wrote itself; absent of other programs. */
  said?: string;
}

/** Runs a program to its end and leaves no process of its group behind. Fails only if it does not start. */
export interface ProcessRunner {
  run(request: ProcessRequest): Promise<Result<ProcessOutcome, { message: string; cause: Error }>>;
}
