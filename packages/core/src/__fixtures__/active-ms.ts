import { readFileSync } from "node:fs";

/**
 * How long `action` takes, in milliseconds, less the time in which this thread had no core although it was ready to go
 * on: a busy machine makes everything later, and breaks no promise. Nothing is subtracted where the kernel keeps no
 * account of that.
 */
export function activeMs(action: () => void): number {
  const [startedAt, waitedBefore] = [performance.now(), waitedMs()];
  action();
  return performance.now() - startedAt - (waitedMs() - waitedBefore);
}

function waitedMs(): number {
  try {
    // Nanoseconds on a core, nanoseconds in wait of one, number of turns.
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}
