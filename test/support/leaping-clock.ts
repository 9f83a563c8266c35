import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { performance } from "node:perf_hooks";
import { sleepBy, type Clock } from "../../packages/core/src/values/clock.js";

/** What may be open while nothing happens. All else is work, but timers and processes: files, names, … */
const idle = new Set(["FSEventWrap", "TCPServerWrap", "TCPSocketWrap", "PipeWrap", "TTYWrap", "MessagePort"]);
const lasting = new Set(["Timeout", "ProcessWrap"]);

/** What a look around has found: how many timers there are, and whether there is nothing else and nothing has arrived. */
interface Look {
  timers: number;
  isQuiet: boolean;
}

/** Processes that may still run, with their number in the order of their start. */
const processes = new Map<ChildProcess, number>();
let startedProcesses = 0;
subscribe("child_process", (message) => {
  processes.set((message as { process: ChildProcess }).process, (startedProcesses += 1));
});

/** Whether a process runs that was started after so many others. */
function runsAnySince(count: number): boolean {
  for (const [{ pid, exitCode, signalCode }, number] of processes) {
    if (number > count && pid !== undefined && exitCode === null && signalCode === null) return true;
  }
  return false;
}

function forgetEnded(): void {
  for (const one of processes.keys()) if (one.exitCode !== null || one.signalCode !== null) processes.delete(one);
}

/** Of the clocks that somebody waits for. */
const running = new Set<(look: Look) => void>();
let ticking: NodeJS.Timeout | null = null;
let seenEvents = 0;

const atWork = (): string[] => process.getActiveResourcesInfo().filter((kind) => !idle.has(kind));
const countTimers = (kinds: readonly string[]): number => kinds.filter((kind) => kind === "Timeout").length;

/** One for all clocks: to look around costs more than to tell the time. */
function tick(): void {
  const kinds = atWork();
  const { events } = performance.nodeTiming.uvMetricsInfo;
  const isQuiet = events === seenEvents && kinds.every((kind) => lasting.has(kind));
  const look = { timers: countTimers(kinds), isQuiet };
  seenEvents = events;
  forgetEnded();
  for (const goOn of running) goOn(look);
  if (running.size > 0 || ticking === null) return;
  clearInterval(ticking);
  ticking = null;
}

/**
 * The real time, for which nobody has to wait: whenever this thread has come to rest, so that nothing but time could
 * make anything happen, it leaps to what is due next. So long deadlines can be tried unshortened against real servers,
 * as long as these are in this thread and wait by the same clock. A busy machine makes everything later, and nothing
 * time out. While a process runs that was started here, time does not leap.
 *
 * @param restMs - how long the rest must last, in real milliseconds; longer where threads work of which Node does not
 *   tell, as those that decompress
 */
export function createLeapingClock({ restMs = 6 } = {}): Clock {
  const epoch = Date.now();
  const startedAt = performance.now();
  let leapt = 0;
  /** Since when nothing has happened that counts as work. */
  let restsSince = startedAt;
  // What an earlier test left behind is no work.
  const earlierProcesses = startedProcesses;
  let earlierTimers = countTimers(atWork());
  const timers = new Set<{ due: number; callback: () => void }>();

  const elapsed = (): number => performance.now() - startedAt + leapt;

  const goOn = (look: Look): void => {
    const isMore = look.timers > earlierTimers || runsAnySince(earlierProcesses);
    earlierTimers = Math.min(earlierTimers, look.timers);
    if (!look.isQuiet || isMore) restsSince = performance.now();
    const next = Math.min(...[...timers].map(({ due }) => due));
    if (performance.now() - restsSince >= restMs && next < Infinity) {
      leapt += Math.max(0, next - elapsed());
      restsSince = performance.now();
    }
    const now = elapsed();
    const due = [...timers].filter((timer) => timer.due <= now).toSorted((a, b) => a.due - b.due);
    for (const timer of due) if (timers.delete(timer)) timer.callback();
    if (timers.size === 0) running.delete(goOn);
  };

  const after = (ms: number, callback: () => void): (() => void) => {
    const timer = { due: elapsed() + ms, callback };
    // While nobody waited nobody looked whether there was rest.
    if (timers.size === 0) restsSince = performance.now();
    timers.add(timer);
    running.add(goOn);
    // What keeps a thread alive would count as work.
    ticking ??= setInterval(tick, 1).unref();
    return () => timers.delete(timer);
  };
  return {
    now: () => Math.floor(epoch + elapsed()),
    monotonic: elapsed,
    after,
    sleep: sleepBy(after),
  };
}
