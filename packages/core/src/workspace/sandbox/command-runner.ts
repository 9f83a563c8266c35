import type { ProcessRunner } from "../../processes/process-runner.js";

/** What runs the programs of workspaces, and the environment of KindLM. */
export interface CommandRunner {
  processes: ProcessRunner;
  env: Readonly<Record<string, string | undefined>>;
}

/** Why a program that makes a sandbox failed. */
export function complaintOf(ran: Awaited<ReturnType<ProcessRunner["run"]>>): string {
  if (!ran.success) return ran.error.message;
  const { stderr, exitCode, signal } = ran.data;
  return stderr.trim().split("\n").at(-1) || `bwrap ended with ${exitCode ?? signal ?? "no exit code"}`;
}
