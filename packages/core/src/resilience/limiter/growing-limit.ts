/** More than this many calls at a time only after the server has shown that it can. */
const firstLimit = 20;
const shrinkFactor = 0.8;

/** How many calls may run at a time, as far as is known. Calls are known by their number in the order of beginning. */
export interface GrowingLimit {
  readonly current: number;
  /** `next`: the number that the next call to begin will have. */
  succeeded(number: number, next: number): void;
  /** True when the limit shrank. */
  rateLimited(number: number, next: number): boolean;
}

/**
 * Starts at min(most, 20). Until the first rate limit it grows by one per success, then by one per round, which is as
 * many successes as the limit is high; never above `most`. A rate limit shrinks it to 0.8 of it, at least 1, once per
 * round trip: what began before the last shrink tells nothing new.
 *
 * Successes of the calls that began before the first of all answers do not let it grow: they all come at about the
 * same time, and would double what a server gets at once before it could say no.
 */
export function createGrowingLimit(most: number): GrowingLimit {
  let limit = Math.max(1, Math.min(most, firstLimit));
  let growsFrom: number | null = null;
  let shrunkBefore: number | null = null;
  let inRound = 0;
  return {
    get current() {
      return limit;
    },
    succeeded(number, next) {
      if (limit >= most) return;
      if (shrunkBefore === null) {
        growsFrom ??= next;
        if (number >= growsFrom) limit += 1;
        return;
      }
      inRound += 1;
      if (inRound < limit) return;
      inRound = 0;
      limit += 1;
    },
    rateLimited(number, next) {
      if (shrunkBefore !== null && number < shrunkBefore) return false;
      shrunkBefore = next;
      inRound = 0;
      const shrunk = Math.max(1, Math.floor(limit * shrinkFactor));
      if (shrunk === limit) return false;
      limit = shrunk;
      return true;
    },
  };
}
