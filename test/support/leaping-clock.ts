import { performance } from "node:perf_hooks";
import { sleepBy, type Clock } from "../../packages/core/src/values/clock.js";

/** What may be open while nothing happens. */
const idle = new Set(["FSEventWrap", "TCPServerWrap", "TCPSocketWrap", "PipeWrap", "TTYWrap", "MessagePort"]);
/** What is work unless it was there before, left behind by an earlier test. All else is work: files, names, … */
const lasting = ["Timeout", "ProcessWrap"] as const;

/** Of each kind that lasts, how many there are. A timer that ends must not hide a process that starts. */
type Lasting = Readonly<Record<(typeof lasting)[number], number>>;

/** What a look around has found: how much of what lasts, and whether there is nothing else and nothing has arrived. */
interface Look {
  lasts: Lasting;
  isQuiet: boolean;
}

/** Of the clocks that somebody waits for. */
const running = new Set<(look: Look) => void>();
let ticking: NodeJS.Timeout | null = null;
let seenEvents = 0;

const atWork = (): string[] => process.getActiveResourcesInfo().filter((kind) => !idle.has(kind));
const countOf = (kinds: readonly string[], kind: string): number => kinds.filter((one) => one === kind).length;
const countLasting = (kinds: readonly string[]): Lasting => ({
  Timeout: countOf(kinds, "Timeout"),
  ProcessWrap: countOf(kinds, "ProcessWrap"),
});

/** One for all clocks: to look around costs more than to tell the time. */
function tick(): void {
  const kinds = atWork();
  const lasts = countLasting(kinds);
  const { events } = performance.nodeTiming.uvMetricsInfo;
  const isQuiet = events === seenEvents && lasts.Timeout + lasts.ProcessWrap === kinds.length;
  const look = { lasts, isQuiet };
  seenEvents = events;
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
  let leftBehind = countLasting(atWork());
  const timers = new Set<{ due: number; callback: () => void }>();

  const elapsed = (): number => performance.now() - startedAt + leapt;

  const goOn = ({ lasts, isQuiet }: Look): void => {
    const isMore = lasting.some((kind) => lasts[kind] > leftBehind[kind]);
    leftBehind = {
      Timeout: Math.min(leftBehind.Timeout, lasts.Timeout),
      ProcessWrap: Math.min(leftBehind.ProcessWrap, lasts.ProcessWrap),
    };
    if (!isQuiet || isMore) restsSince = performance.now();
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
