import type { ProcessRunner } from "../processes/process-runner.js";
import type { RunInfo } from "./run-result.js";

/**
 * Commit, branch and whether tracked files are changed; null outside a repository, where git is missing or slow, and
 * when the signal aborts before it answers.
 */
export async function readGit(
  processes: ProcessRunner,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal | null,
): Promise<RunInfo["git"]> {
  const asked = await processes.run({
    command: ["git", "status", "--porcelain=v2", "--branch", "--untracked-files=no"],
    cwd,
    // A status must not take the index lock from someone who works in the repository meanwhile.
    env: { ...env, GIT_OPTIONAL_LOCKS: "0" },
    stdin: "",
    timeoutMs: 2_000,
    signal: signal ?? new AbortController().signal,
  });
  return asked.success && asked.data.exitCode === 0 ? parseGitStatus(asked.data.stdout) : null;
}

export function parseGitStatus(text: string): RunInfo["git"] {
  const commit = /^# branch\.oid ([0-9a-f]+)$/m.exec(text)?.[1];
  if (commit === undefined) return null;
  const head = /^# branch\.head (.+)$/m.exec(text)?.[1] ?? null;
  return { commit, branch: head === "(detached)" ? null : head, dirty: /^[12u] /m.test(text) };
}
