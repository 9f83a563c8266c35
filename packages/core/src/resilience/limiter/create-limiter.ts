import type { Clock } from "../../values/clock.js";
import { createGrowingLimit } from "./growing-limit.js";
import { createLane, type Lane, type LimitedCall } from "./lane.js";
import type { Limiter, LimiterChange, LimiterSettings } from "./limiter.js";
import { createMinuteWindow, type MinuteLimits, type MinuteWindow } from "./minute-window.js";

/** A run that stands still for so long should say why. */
const worthTellingMs = 1_000;

/** A limiter. Calls wait in the lists of their lanes; one that ends, and the only timer, begin those that may. */
export function createLimiter(settings: LimiterSettings, clock: Clock): Limiter {
  const { onChange } = settings;
  const growing = createGrowingLimit(settings.concurrency);
  const minute = windowOf(settings);
  const byName = new Map<string, Lane>();
  const lanes: Lane[] = [];
  let turn = 0;
  let waiting = 0;
  let next = 0;
  let rateLimits = 0;
  let active = 0;
  let wakeAt = Number.POSITIVE_INFINITY;
  let cancelWake: (() => void) | null = null;
  let toldUntil = Number.NEGATIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;

  /** The clock's time, which never lies before a timer that has ended: a timer may be early, and a clock may stand. */
  const readTime = (): number => {
    latest = Math.max(latest, clock.monotonic());
    return latest;
  };

  const laneOf = (name: string): Lane => {
    let lane = byName.get(name);
    if (lane === undefined) {
      lane = createLane(name, windowOf(settings.minuteLimitsOf?.(name)));
      byName.set(name, lane);
      lanes.push(lane);
    }
    return lane;
  };

  const count = (call: LimitedCall, now: number): void => {
    const { lane, estimatedTokens } = call;
    call.number = next;
    growing.began(next, active, now);
    next += 1;
    call.at = now;
    lane.pace.began(now);
    if (minute !== null) call.counted = minute.began(estimatedTokens, now);
    if (lane.minute !== null) call.countedInLane = lane.minute.began(estimatedTokens, now);
  };

  const sleepUntil = (time: number, now: number): void => {
    if (time >= wakeAt) return;
    cancelWake?.();
    wakeAt = time;
    cancelWake = clock.after(Math.max(1, Math.ceil(time - now)), () => {
      latest = Math.max(latest, wakeAt);
      stopSleeping();
      beginWaiting();
    });
  };

  const stopSleeping = (): void => {
    cancelWake?.();
    cancelWake = null;
    wakeAt = Number.POSITIVE_INFINITY;
  };

  /** The first call of the next lane in turn that may begin now; else null, and a timer for the first that will. */
  const takeNext = (now: number): LimitedCall | null => {
    let earliest = Number.POSITIVE_INFINITY;
    for (let step = 0; step < lanes.length; step += 1) {
      const index = (turn + step) % lanes.length;
      const call = lanes[index]?.waiting.first ?? null;
      if (call === null) continue;
      let readyAt = call.lane.readyAt(call.estimatedTokens, now);
      // Nobody overtakes a call that the common window holds back: a large one would never get its turn.
      const isNext = readyAt <= now;
      if (isNext && minute !== null) readyAt = minute.readyAt(call.estimatedTokens, now);
      if (readyAt <= now) {
        turn = index + 1;
        remove(call);
        count(call, now);
        return call;
      }
      earliest = Math.min(earliest, readyAt);
      if (isNext) break;
    }
    if (earliest < Number.POSITIVE_INFINITY) {
      tellWait(earliest, now);
      sleepUntil(earliest, now);
    }
    return null;
  };

  /** A wait that no refusal has told of: for a limit per minute, or for a slow pace. */
  const tellWait = (until: number, now: number): void => {
    const lane = lanes.find((one) => one.waiting.first !== null);
    if (lane === undefined || until - now < worthTellingMs || until <= toldUntil || until <= lane.pausedUntil) return;
    toldUntil = until;
    tell(lane, "waiting", now, until - now);
  };

  const beginWaiting = (): void => {
    while (waiting > 0) {
      const now = readTime();
      const roomAt = growing.readyAt(next, active, now);
      if (roomAt > now) return sleepUntil(roomAt, now);
      const call = takeNext(now);
      if (call === null) return;
      call.begin?.();
    }
  };

  const leave = (): void => {
    active -= 1;
    beginWaiting();
  };

  const begin = <T>(call: LimitedCall, attempt: (call: LimitedCall) => Promise<T>): Promise<T> => {
    active += 1;
    const finished = attempt(call);
    finished.then(leave, leave);
    return finished;
  };

  const remove = (call: LimitedCall): void => {
    call.lane.waiting.remove(call);
    waiting -= 1;
    if (waiting === 0) stopSleeping();
  };

  const wait = <T>(call: LimitedCall, attempt: (call: LimitedCall) => Promise<T>): Promise<T | null> =>
    new Promise((resolve) => {
      const { signal } = call;
      const abandon = (): void => {
        signal.removeEventListener("abort", abandon);
        remove(call);
        resolve(null);
        beginWaiting();
      };
      call.abandon = abandon;
      call.begin = () => {
        signal.removeEventListener("abort", abandon);
        resolve(begin(call, attempt));
      };
      signal.addEventListener("abort", abandon, { once: true });
      call.lane.waiting.add(call);
      waiting += 1;
      beginWaiting();
    });

  /** Whether a call needs not wait; nobody is overtaken. */
  const mayBegin = (call: LimitedCall, now: number): boolean =>
    waiting === 0 &&
    growing.readyAt(next, active, now) <= now &&
    call.lane.readyAt(call.estimatedTokens, now) <= now &&
    (minute === null || minute.readyAt(call.estimatedTokens, now) <= now);

  const tell = (
    lane: Lane,
    because: LimiterChange["because"],
    now: number,
    pausedMs = Math.max(0, lane.pausedUntil - now),
  ): void =>
    onChange?.({ lane: lane.name, because, limit: growing.current, ratePerSecond: lane.pace.perSecond, pausedMs });

  return {
    run(laneName, estimatedTokens, signal, attempt) {
      if (signal.aborted) return Promise.resolve(null);
      const call = newCall(laneOf(laneName), estimatedTokens, signal);
      const now = readTime();
      if (!mayBegin(call, now)) return wait(call, attempt);
      count(call, now);
      return begin(call, attempt);
    },
    succeeded(call, usedTokens) {
      const { lane, estimatedTokens } = call;
      lane.pace.succeeded(call.number);
      if (growing.succeeded(call.number) && rateLimits > 0) tell(lane, "growth", readTime());
      if (usedTokens === null || usedTokens === estimatedTokens) return;
      if (call.counted !== null) minute?.correct(call.counted, estimatedTokens, usedTokens);
      if (call.countedInLane !== null) lane.minute?.correct(call.countedInLane, estimatedTokens, usedTokens);
    },
    rateLimited(call, hintMs) {
      const { lane } = call;
      const now = readTime();
      rateLimits += 1;
      lane.rateLimits += 1;
      // A model that has a pace already was too fast, not too many at a time.
      const wasPaced = lane.pace.perSecond !== null;
      const isNews = lane.pace.refused(call, hintMs, next);
      if (hintMs !== null) lane.pause(now + hintMs);
      if (!wasPaced) growing.rateLimited(call.number, next, lane.pace.perSecond !== null);
      if (isNews) tell(lane, "rate_limit", now);
    },
    release(laneName) {
      for (const lane of lanes) {
        if (laneName !== null && lane.name !== laneName) continue;
        for (let call = lane.waiting.first; call !== null; call = lane.waiting.first) call.abandon?.();
      }
    },
    get settled() {
      const limited = lanes.filter((lane) => lane.rateLimits > 0);
      return {
        limit: growing.current,
        rateLimits,
        lanes: limited.map((lane) => ({
          lane: lane.name,
          ratePerSecond: lane.pace.perSecond,
          rateLimits: lane.rateLimits,
        })),
      };
    },
  };
}

function newCall(lane: Lane, estimatedTokens: number, signal: AbortSignal): LimitedCall {
  return {
    lane,
    estimatedTokens,
    signal,
    number: -1,
    at: 0,
    counted: null,
    countedInLane: null,
    begin: null,
    abandon: null,
    previous: null,
    following: null,
  };
}

function windowOf(limits: MinuteLimits | undefined): MinuteWindow | null {
  if (limits === undefined || (limits.requestsPerMinute === null && limits.tokensPerMinute === null)) return null;
  return createMinuteWindow(limits);
}
