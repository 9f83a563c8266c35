import type { ProcessRunner } from "../processes/process-runner.js";

/** Of these files, relative to `cwd`, the ones that git leaves out of commits; none where there is no git. */
export async function findIgnored(
  files: readonly string[],
  {
    processes,
    env,
    signal,
  }: { processes: ProcessRunner; env: Readonly<Record<string, string | undefined>>; signal: AbortSignal | null },
  cwd: string,
): Promise<readonly string[]> {
  const asked = await processes.run({
    command: ["git", "check-ignore", "-z", "--stdin"],
    cwd,
    env,
    stdin: files.map((file) => `${file}\0`).join(""),
    timeoutMs: 2_000,
    signal: signal ?? new AbortController().signal,
  });
  // Exit code 1 says that none is.
  return asked.success && asked.data.exitCode === 0 ? asked.data.stdout.split("\0").filter((file) => file !== "") : [];
}
