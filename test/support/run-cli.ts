import { spawn, type ChildProcess } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const cliPath = join(repository, "packages", "cli", "dist", "bin.js");

export interface CliOutcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  durationMs: number;
}

export interface CliOptions {
  cwd: string;
  env?: Readonly<Record<string, string>>;
}

export interface RunningCli {
  child: ChildProcess;
  finished: Promise<CliOutcome>;
  /** Resolves when the text has appeared on stderr. */
  sees(text: string): Promise<void>;
}

/** Not by `onTestFinished`: of tests that run side by side it does not know which one has called it. */
const started = new Set<ChildProcess>();
afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
});

/** Starts the built command line in an environment that has nothing but what is given. */
export function startCli(args: readonly string[], { cwd, env = {} }: CliOptions): RunningCli {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [cliPath, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  let stdout = "";
  let stderr = "";
  const waiting = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
    for (const look of waiting) look();
  });
  const finished = new Promise<CliOutcome>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      started.delete(child);
      resolve({ code, signal, stdout, stderr, durationMs: performance.now() - startedAt });
    });
  });
  return {
    child,
    finished,
    sees: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!stderr.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

export function runCli(args: readonly string[], options: CliOptions): Promise<CliOutcome> {
  return startCli(args, options).finished;
}

/** What differs from run to run, made equal: durations, run ids, ports and folders. */
export function stable(text: string, folder: string): string {
  return text
    .replaceAll(folder, "<folder>")
    .replaceAll(/\b\d{8}-\d{9}-[0-9a-f]{6}\b/g, "<run>")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>")
    .replaceAll(/\b\d+(\.\d+)? (ms|s|min)\b/g, "<time>");
}
