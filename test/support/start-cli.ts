import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterFile } from "../../packages/core/src/__fixtures__/clean-up.js";
import { repository, type CliOptions, type CliOutcome } from "./run-cli.js";

/** The program that npm links as `kindlm`. */
export const cliPath = join(repository, "packages", "cli", "dist", "bin.cjs");

/**
 * How Node starts a program that is over soon, as a fifth of what it takes is what pays off later: V8 optimizes no
 * WebAssembly, which reads HTTP, and JavaScript later, and it collects no garbage before the end, and in no other thread.
 */
export const briefly = [
  "--liftoff-only",
  "--interrupt-budget=500000",
  "--min-semi-space-size=32",
  "--max-semi-space-size=32",
  "--single-threaded-gc",
] as const;

/** What became of a process. */
export interface ProcessOutcome extends Omit<CliOutcome, "code"> {
  /** Null if a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

type ShellOutcome = Pick<ProcessOutcome, "code" | "stdout" | "stderr">;

export interface RunningCli {
  child: ChildProcess;
  finished: Promise<ProcessOutcome>;
  /** Resolves when the text has appeared on stderr. */
  sees(text: string): Promise<void>;
}

interface ProcessOptions extends CliOptions {
  /** A program that starts the one whose path and arguments follow its own. */
  through?: readonly string[];
}

/**
 * Starts the built command line as a process, in an environment that contains only what is given. For tests in which a
 * process is the promise: signals, pipes, kills, limits of the system, exit, stray errors. For everything else `runCli`
 * does the same fifty times as fast.
 */
export function startCli(args: readonly string[], { cwd, env = {}, through = [] }: ProcessOptions): RunningCli {
  const startedAt = performance.now();
  const [program = process.execPath, ...rest] = [...through, process.execPath, ...briefly, cliPath, ...args];
  const child = spawn(program, rest, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  afterFile(() => void child.kill("SIGKILL"));
  const waiting = new Set<() => void>();
  const stdout = textOf(child.stdout);
  const stderr = textOf(child.stderr, () => {
    for (const look of waiting) look();
  });
  const finished = new Promise<ProcessOutcome>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({ code, signal, stdout: stdout(), stderr: stderr(), durationMs: performance.now() - startedAt }),
    );
  });
  return {
    child,
    finished,
    sees: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!stderr().includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

/** What comes out of a stream, so far. */
function textOf(stream: Readable, onMore: () => void = () => {}): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    onMore();
  });
  return () => text;
}

/** Starts the built command line as a process and waits for its end. */
export function runProcess(args: readonly string[], options: ProcessOptions): Promise<ProcessOutcome> {
  return startCli(args, options).finished;
}

/** Runs a line of bash, in which `kindlm` is the built command line as a process. */
export function runInShell(line: string, { cwd, env = {} }: CliOptions): Promise<ShellOutcome> {
  const kindlm = `kindlm() { "${process.execPath}" ${briefly.join(" ")} "${cliPath}" "$@"; }`;
  const child = spawn("bash", ["-c", `${kindlm}\n${line}`], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout: stdout(), stderr: stderr() }));
  });
}
