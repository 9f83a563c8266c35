import path from "node:path";
import { kindlmError } from "../errors/kindlm-error.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import { failure, success, type Result } from "../result.js";

/** What runs git. */
export interface GitRunner {
  processes: ProcessRunner;
  env: Readonly<Record<string, string | undefined>>;
}

const gitTimeoutMs = 120_000;

/**
 * Clones the repository into the folder and checks the commit out. No hook runs, no file is shared with the original, and
 * the clone does not know where it came from: nothing can be pushed back. Fails with ENGINE_FIXTURE_ERROR.
 */
export async function openGitSeed(
  { repository, commit }: { repository: string; commit: string },
  folder: string,
  runner: GitRunner,
): Promise<Result<void>> {
  const name = path.basename(repository);
  const cloned = `"${name}" could not be cloned as a git repository`;
  const missing = `The repository "${name}" has no commit ${commit} that could be checked out`;
  const steps = [
    { args: ["clone", "--quiet", "--no-hardlinks", "--no-checkout", "--template=", repository, folder], what: cloned },
    { args: ["-C", folder, "checkout", "--quiet", "--detach", commit, "--"], what: missing },
    { args: ["-C", folder, "remote", "remove", "origin"], what: cloned },
  ];
  for (const { args, what } of steps) {
    const done = await runGit(args, what, path.dirname(folder), runner);
    if (!done.success) return done;
  }
  return success(undefined);
}

/** `what`: what it means if git fails. */
async function runGit(
  args: readonly string[],
  what: string,
  cwd: string,
  { processes, env }: GitRunner,
): Promise<Result<string>> {
  const ran = await processes.run({
    command: [
      "git",
      "-c",
      "core.hooksPath=/dev/null",
      "-c",
      "protocol.allow=never",
      "-c",
      "protocol.file.allow=always",
      ...args,
    ],
    cwd,
    // A repository of the environment would be used instead of the one that is meant.
    env: { ...env, GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined, GIT_TERMINAL_PROMPT: "0" },
    stdin: "",
    timeoutMs: gitTimeoutMs,
    signal: new AbortController().signal,
  });
  if (!ran.success)
    return failure(kindlmError("ENGINE_FIXTURE_ERROR", `The workspace needs git: ${ran.error.message}`));
  const { exitCode, stdout, stderr, endedBy } = ran.data;
  if (exitCode === 0) return success(stdout);
  const why = endedBy === "timeout" ? "it took longer than 2 minutes" : reasonIn(stderr);
  return failure(kindlmError("ENGINE_FIXTURE_ERROR", `${what}: ${why}`));
}

/** Advice follows the reason. */
function reasonIn(stderr: string): string {
  const lines = stderr.trim().split("\n");
  return (lines.find((line) => line.startsWith("fatal: ")) ?? lines.at(-1) ?? "").replace(/^fatal: /, "");
}
