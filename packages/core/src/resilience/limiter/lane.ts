import { LearnedPace } from "./learned-pace.js";
import type { MinuteEntry, MinuteWindow } from "./minute-window.js";

/** A call that begins, or waits to. */
export interface LimitedCall extends Linked<LimitedCall> {
  readonly lane: Lane;
  readonly estimatedTokens: number;
  readonly signal: AbortSignal;
  /** In the order of beginning, from 0; −1 while it waits. */
  number: number;
  /** When it began, milliseconds. */
  at: number;
  /** When it began to wait; null if it did not wait. */
  queuedAt: number | null;
  /** It waited for a rate limit, not for others to end. */
  isHeldBack: boolean;
  /** Where its tokens are counted, of the limiter and of the lane; null where nothing limits them. */
  counted: MinuteEntry | null;
  countedInLane: MinuteEntry | null;
  /** Begins a call that waited. */
  begin: (() => void) | null;
  /** Ends the wait of a call that has not started. */
  abandon: (() => void) | null;
}

export function newCall(lane: Lane, estimatedTokens: number, signal: AbortSignal): LimitedCall {
  return {
    lane,
    estimatedTokens,
    signal,
    number: -1,
    at: 0,
    queuedAt: null,
    isHeldBack: false,
    counted: null,
    countedInLane: null,
    begin: null,
    abandon: null,
    previous: null,
    following: null,
  };
}

/** The calls of one model: in the order they came, after its pause, at its pace, within its limits per minute. */
export type Lane = ReturnType<typeof createLane>;

export function createLane(name: string, minute: MinuteWindow | null) {
  const waiting = createWaitingList<LimitedCall>();
  const pace = new LearnedPace();
  let pausedUntil = Number.NEGATIVE_INFINITY;
  return {
    name,
    waiting,
    pace,
    minute,
    rateLimits: 0,
    get pausedUntil() {
      return pausedUntil;
    },
    /** A shorter pause never ends a longer one. True when it became longer. */
    pause(until: number): boolean {
      if (until <= pausedUntil) return false;
      pausedUntil = until;
      return true;
    },
    /** Whether a rate limit has held back calls that came at `since`. */
    hasPaused(since: number): boolean {
      return pausedUntil > since || pace.perSecond !== null;
    },
    /** When a call of so many tokens may begin: now or later. */
    readyAt(tokens: number, now: number): number {
      const readyAt = Math.max(pausedUntil, pace.readyAt(now));
      return minute === null ? readyAt : Math.max(readyAt, minute.readyAt(tokens, now));
    },
  };
}

/** What a waiting list links; an item is in one list at most. */
export interface Linked<T> {
  previous: T | null;
  following: T | null;
}

/** First in, first out, and out of the middle at once: an abort must not search through thousands. */
interface WaitingList<T extends Linked<T>> {
  readonly first: T | null;
  readonly size: number;
  add(item: T): void;
  /** Removes an item that is in this list. */
  remove(item: T): void;
}

export function createWaitingList<T extends Linked<T>>(): WaitingList<T> {
  let first: T | null = null;
  let last: T | null = null;
  let size = 0;
  return {
    get first() {
      return first;
    },
    get size() {
      return size;
    },
    add(item) {
      item.previous = last;
      if (last === null) first = item;
      else last.following = item;
      last = item;
      size += 1;
    },
    remove(item) {
      const { previous, following } = item;
      if (previous === null) first = following;
      else previous.following = following;
      if (following === null) last = previous;
      else following.previous = previous;
      item.previous = null;
      item.following = null;
      size -= 1;
    },
  };
}
