import type { Clock } from "../../values/clock.js";
import { createGrowingLimit, type GrowingLimit } from "./growing-limit.js";
import { createLane, newCall, type Lane, type LimitedCall } from "./lane.js";
import type { LimiterChange, LimiterSettings } from "./limiter-settings.js";
import { openMinuteWindow, type MinuteWindow } from "./minute-window.js";
import { WakeUp } from "./wake-up.js";

/** A run that stands still for so long should say why. */
const worthTellingMs = 1_000;

/** What the limiter settled on. */
export interface SettledLimits {
  /** Calls at a time. */
  limit: number;
  rateLimits: number;
  /** The lanes that were rate limited. */
  lanes: readonly { lane: string; ratePerSecond: number | null; rateLimits: number }[];
}

/**
 * Decides when calls to one provider with one key begin. Several models share it, each in its own lane. Calls wait
 * in the lists of their lanes; one that ends, and the only timer, begin those that may.
 */
export class Limiter {
  readonly #settings: LimiterSettings;
  readonly #growing: GrowingLimit;
  readonly #minute: MinuteWindow | null;
  readonly #byName = new Map<string, Lane>();
  readonly #lanes: Lane[] = [];
  readonly #wakeUp: WakeUp;
  /** The lane whose turn it is. */
  #turn = 0;
  #waiting = 0;
  #active = 0;
  /** The number of the next call to begin. */
  #next = 0;
  #rateLimits = 0;
  #toldUntil = Number.NEGATIVE_INFINITY;

  constructor(settings: LimiterSettings, clock: Clock) {
    this.#settings = settings;
    this.#growing = createGrowingLimit(settings.concurrency, settings.expectedCalls);
    this.#minute = openMinuteWindow(settings);
    this.#wakeUp = new WakeUp(clock, () => this.#beginWaiting());
  }

  /**
   * Runs `attempt` once there is room, and answers as it does; null, without running it, when the signal aborts or
   * `release` is called first.
   * The attempt reports how it went, by `succeeded` or `rateLimited`, before it settles, so that the next call begins by
   * what it reported; by neither for any other failure. It must not throw before it returns its promise.
   */
  run<T>(
    laneName: string,
    estimatedTokens: number,
    signal: AbortSignal,
    attempt: (call: LimitedCall) => Promise<T>,
  ): Promise<T | null> {
    if (signal.aborted) return Promise.resolve(null);
    const call = newCall(this.#laneOf(laneName), estimatedTokens, signal);
    const now = this.#wakeUp.now();
    if (!this.#mayBegin(call, now)) {
      call.queuedAt = now;
      call.isHeldBack = !this.#hasRate(call, now);
      return this.#wait(call, attempt);
    }
    this.#count(call, now);
    return this.#begin(call, attempt);
  }

  /** `usedTokens`: the real number; null where it is not known and the estimate stays. */
  succeeded(call: LimitedCall, usedTokens: number | null): void {
    const { lane, estimatedTokens } = call;
    lane.pace.succeeded(call.number);
    const hasGrown = this.#growing.succeeded(call.number);
    if (hasGrown && this.#rateLimits > 0) this.#tell(lane, "growth", this.#wakeUp.now());
    if (usedTokens === null || usedTokens === estimatedTokens) return;
    if (call.counted !== null) this.#minute?.correct(call.counted, estimatedTokens, usedTokens);
    if (call.countedInLane !== null) lane.minute?.correct(call.countedInLane, estimatedTokens, usedTokens);
  }

  /**
   * The server refused the call (429). `hintMs`: how long it asks to wait from now; null where it gave no hint, or one
   * that nobody will wait for.
   */
  rateLimited(call: LimitedCall, hintMs: number | null): void {
    const { lane } = call;
    const now = this.#wakeUp.now();
    this.#rateLimits += 1;
    lane.rateLimits += 1;
    // A model that has a pace already was too fast, not too many at a time.
    const wasPaced = lane.pace.perSecond !== null;
    const isNews = lane.pace.refused(call, hintMs, this.#next);
    if (hintMs !== null) lane.pause(now + hintMs);
    if (!wasPaced) this.#growing.rateLimited(call.number, this.#next, lane.pace.perSecond !== null);
    if (isNews) this.#tell(lane, "rate_limit", now);
  }

  /** Ends the wait of all calls of a lane, or of all lanes for null: they would only wait to be refused. */
  release(laneName: string | null): void {
    for (const lane of this.#lanes) {
      if (laneName !== null && lane.name !== laneName) continue;
      for (let call = lane.waiting.first; call !== null; call = lane.waiting.first) call.abandon?.();
    }
  }

  get settled(): SettledLimits {
    const limited = this.#lanes.filter((lane) => lane.rateLimits > 0);
    return {
      limit: this.#growing.current,
      rateLimits: this.#rateLimits,
      lanes: limited.map(({ name, pace, rateLimits }) => ({ lane: name, ratePerSecond: pace.perSecond, rateLimits })),
    };
  }

  #laneOf(name: string): Lane {
    let lane = this.#byName.get(name);
    if (lane === undefined) {
      lane = createLane(name, openMinuteWindow(this.#settings.minuteLimitsOf?.(name)));
      this.#byName.set(name, lane);
      this.#lanes.push(lane);
    }
    return lane;
  }

  /** Whether a call needs not wait; nobody is overtaken. */
  #mayBegin(call: LimitedCall, now: number): boolean {
    return (
      this.#waiting === 0 && this.#growing.readyAt(this.#next, this.#active, now) <= now && this.#hasRate(call, now)
    );
  }

  /** Whether no limit over time holds a call back. */
  #hasRate({ lane, estimatedTokens }: LimitedCall, now: number): boolean {
    if (lane.readyAt(estimatedTokens, now) > now) return false;
    return this.#minute === null || this.#minute.readyAt(estimatedTokens, now) <= now;
  }

  #count(call: LimitedCall, now: number): void {
    const { lane, estimatedTokens } = call;
    call.number = this.#next;
    this.#growing.began(this.#next, this.#active, now);
    this.#next += 1;
    call.at = now;
    lane.pace.began(now);
    if (this.#minute !== null) call.counted = this.#minute.began(estimatedTokens, now);
    if (lane.minute !== null) call.countedInLane = lane.minute.began(estimatedTokens, now);
  }

  #begin<T>(call: LimitedCall, attempt: (call: LimitedCall) => Promise<T>): Promise<T> {
    this.#active += 1;
    const finished = attempt(call);
    finished.then(this.#leave, this.#leave);
    return finished;
  }

  readonly #leave = (): void => {
    this.#active -= 1;
    this.#beginWaiting();
  };

  #wait<T>(call: LimitedCall, attempt: (call: LimitedCall) => Promise<T>): Promise<T | null> {
    return new Promise((resolve) => {
      const { signal } = call;
      const abandon = (): void => {
        signal.removeEventListener("abort", abandon);
        this.#remove(call);
        resolve(null);
        this.#beginWaiting();
      };
      call.abandon = abandon;
      call.begin = () => {
        signal.removeEventListener("abort", abandon);
        resolve(this.#begin(call, attempt));
      };
      signal.addEventListener("abort", abandon, { once: true });
      call.lane.waiting.add(call);
      this.#waiting += 1;
      this.#beginWaiting();
    });
  }

  #remove(call: LimitedCall): void {
    call.lane.waiting.remove(call);
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#wakeUp.clear();
  }

  #beginWaiting(): void {
    while (this.#waiting > 0) {
      const now = this.#wakeUp.now();
      const roomAt = this.#growing.readyAt(this.#next, this.#active, now);
      if (roomAt > now) return this.#wakeUp.setFor(roomAt, now);
      const call = this.#takeNext(now);
      if (call === null) return;
      call.begin?.();
    }
  }

  /** The first call of the next lane in turn that may begin now; else null, and a timer for the first that will. */
  #takeNext(now: number): LimitedCall | null {
    let earliest = Number.POSITIVE_INFINITY;
    for (let step = 0; step < this.#lanes.length; step += 1) {
      const index = (this.#turn + step) % this.#lanes.length;
      const call = this.#lanes[index]?.waiting.first ?? null;
      if (call === null) continue;
      let readyAt = call.lane.readyAt(call.estimatedTokens, now);
      // Nobody overtakes a call that the common window holds back: a large one would never get its turn.
      const isNext = readyAt <= now;
      if (isNext && this.#minute !== null) readyAt = this.#minute.readyAt(call.estimatedTokens, now);
      if (readyAt <= now) {
        this.#turn = index + 1;
        this.#remove(call);
        call.isHeldBack ||= call.lane.hasPaused(call.queuedAt ?? now);
        this.#count(call, now);
        return call;
      }
      earliest = Math.min(earliest, readyAt);
      if (isNext) break;
    }
    if (earliest < Number.POSITIVE_INFINITY) {
      this.#tellWait(earliest, now);
      this.#wakeUp.setFor(earliest, now);
    }
    return null;
  }

  /** A wait that no rejection has announced: for a limit per minute, or for a slow pace. */
  #tellWait(until: number, now: number): void {
    const lane = this.#lanes.find((one) => one.waiting.first !== null);
    if (lane === undefined || until - now < worthTellingMs) return;
    if (until <= this.#toldUntil || until <= lane.pausedUntil) return;
    this.#toldUntil = until;
    this.#tell(lane, "waiting", now, until - now);
  }

  #tell(
    { name: lane, pace, pausedUntil }: Lane,
    because: LimiterChange["because"],
    now: number,
    pausedMs = Math.max(0, pausedUntil - now),
  ): void {
    const limit = this.#growing.current;
    this.#settings.onChange?.({ lane, because, limit, ratePerSecond: pace.perSecond, pausedMs });
  }
}
