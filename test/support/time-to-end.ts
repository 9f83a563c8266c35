import { readFileSync } from "node:fs";
import type { RunningCli } from "./start-cli.js";

const lookEveryMs = 20;

/**
 * How long a process takes from now to its end, in milliseconds, less the time in which it was ready to go on and the
 * machine had no core for it: a busy machine makes everything later, and breaks no promise. If the kernel keeps no
 * account of it, nothing is taken off.
 */
export async function timeToEnd({ child, finished }: RunningCli): Promise<number> {
  const startedAt = performance.now();
  const before = withoutCoreMs(child.pid);
  let last = before;
  const looking = setInterval(() => {
    last = withoutCoreMs(child.pid) ?? last;
  }, lookEveryMs);
  await finished;
  clearInterval(looking);
  return performance.now() - startedAt - ((last ?? 0) - (before ?? 0));
}

/** Null for a process that has ended, and where there is no such file. */
function withoutCoreMs(pid: number | undefined): number | null {
  try {
    // Nanoseconds on a core, nanoseconds in wait of one, number of turns.
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return null;
  }
}
