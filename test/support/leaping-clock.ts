import { performance } from "node:perf_hooks";
import { sleepBy, type Clock } from "../../packages/core/src/values/clock.js";

/** What may be open while nothing happens. All else is work: files, names, processes, timers of the real time. */
const idle = new Set(["TCPServerWrap", "TCPSocketWrap", "PipeWrap", "TTYWrap", "MessagePort"]);

/** Of the clocks that somebody waits for. */
const running = new Set<(restedMs: number) => void>();
let ticking: NodeJS.Timeout | null = null;
let seenEvents = 0;
let restsSince = 0;

/** One for all clocks: to look around costs more than to tell the time. */
function tick(): void {
  const { events } = performance.nodeTiming.uvMetricsInfo;
  const isAtWork = events !== seenEvents || process.getActiveResourcesInfo().some((kind) => !idle.has(kind));
  const now = performance.now();
  seenEvents = events;
  if (isAtWork) restsSince = now;
  for (const goOn of running) goOn(now - restsSince);
  if (running.size > 0 || ticking === null) return;
  clearInterval(ticking);
  ticking = null;
}

function startTicking(): void {
  restsSince = performance.now();
  // What keeps a thread alive would count as work.
  ticking = setInterval(tick, 1).unref();
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
  let leaptAt = startedAt;
  const timers = new Set<{ due: number; callback: () => void }>();

  const elapsed = (): number => performance.now() - startedAt + leapt;

  const goOn = (restedMs: number): void => {
    const next = Math.min(...[...timers].map(({ due }) => due));
    if (Math.min(restedMs, performance.now() - leaptAt) >= restMs && next < Infinity) {
      leapt += Math.max(0, next - elapsed());
      leaptAt = performance.now();
    }
    const now = elapsed();
    const due = [...timers].filter((timer) => timer.due <= now).toSorted((a, b) => a.due - b.due);
    for (const timer of due) if (timers.delete(timer)) timer.callback();
    if (timers.size === 0) running.delete(goOn);
  };

  const after = (ms: number, callback: () => void): (() => void) => {
    const timer = { due: elapsed() + ms, callback };
    timers.add(timer);
    running.add(goOn);
    if (ticking === null) startTicking();
    return () => timers.delete(timer);
  };
  return {
    now: () => Math.floor(epoch + elapsed()),
    monotonic: elapsed,
    after,
    sleep: sleepBy(after),
  };
}
