import { askGit, type GitPorts } from "../processes/ask-git.js";
import type { RunInfo } from "./run-result.js";

/** Commit, branch and whether tracked files are changed; null if git does not say. */
export async function readGit(ports: GitPorts, cwd: string): Promise<RunInfo["git"]> {
  const status = await askGit(["status", "--porcelain=v2", "--branch", "--untracked-files=no"], ports, cwd);
  return status === null ? null : parseGitStatus(status);
}

export function parseGitStatus(text: string): RunInfo["git"] {
  const commit = /^# branch\.oid ([0-9a-f]+)$/m.exec(text)?.[1];
  if (commit === undefined) return null;
  const head = /^# branch\.head (.+)$/m.exec(text)?.[1] ?? null;
  return { commit, branch: head === "(detached)" ? null : head, dirty: /^[12u] /m.test(text) };
}
