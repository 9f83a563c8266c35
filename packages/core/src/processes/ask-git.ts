import { existsSync } from "node:fs";
import path from "node:path";
import type { ProcessRunner } from "./process-runner.js";

export interface GitPorts {
  processes: ProcessRunner;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal | null;
}

/**
 * What git prints; null if it fails, which it does outside a repository, is missing or slow, and if the signal aborts
 * before it answers.
 */
export async function askGit(
  args: readonly string[],
  { processes, env, signal }: GitPorts,
  cwd: string,
  stdin = "",
): Promise<string | null> {
  if (env["GIT_DIR"] === undefined && !isInRepository(cwd)) return null;
  const asked = await processes.run({
    command: ["git", ...args],
    cwd,
    // A question must not take the index lock from someone who works in the repository meanwhile.
    env: { ...env, GIT_OPTIONAL_LOCKS: "0" },
    stdin,
    timeoutMs: 2_000,
    signal: signal ?? new AbortController().signal,
  });
  return asked.success && asked.data.exitCode === 0 ? asked.data.stdout : null;
}

/** Looks for what git looks for. To start a program only to hear that there is nothing takes a hundred times as long. */
function isInRepository(folder: string): boolean {
  if (existsSync(path.join(folder, ".git"))) return true;
  const above = path.dirname(folder);
  return above !== folder && isInRepository(above);
}
