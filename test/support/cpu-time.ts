import { readFileSync } from "node:fs";
import { afterAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What the file has used of processors, its import included, and the processes that it started: milliseconds. */
    cpuMs?: number;
  }
}

/** Linux counts processor time in units of a hundredth of a second. */
const msPerTick = 10;

/** Counted from here to the end of the file. Unlike its duration, it does not grow with what else the machine does. */
export function measureCpuTime(): void {
  const before = cpuMs();
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures a hook wants: none
  afterAll(({}, suite) => {
    suite.file.meta.cpuMs = cpuMs() - before;
  });
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + endedProcessesMs();
}

/** Of processes that this one started and that have ended. Where the system does not tell, they count nothing. */
function endedProcessesMs(): number {
  try {
    // The name of the program, in parentheses, may contain spaces.
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[13]) + Number(fields[14])) * msPerTick;
  } catch {
    return 0;
  }
}
