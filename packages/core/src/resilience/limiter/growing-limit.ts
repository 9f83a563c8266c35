/** So many calls may begin at once; of very many this part, since refusals of so few cost next to nothing. */
const firstCalls = { least: 20, part: 0.05 };
/** So much the limit grows with each success of a further call. */
const furtherGrowth = 2;
const shrinkFactor = 0.8;

/** How many calls may run at a time, as far as is known. Calls are known by their number in the order of beginning. */
export interface GrowingLimit {
  readonly current: number;
  /** When call `number` may begin, which could at `now`, while `active` others run. Infinite: not before one has ended. */
  readyAt(number: number, active: number, now: number): number;
  /** Call `number` begins, at `now`, while `active` others run. */
  began(number: number, active: number, now: number): void;
  /** True when it grew by a round. */
  succeeded(number: number): boolean;
  /**
   * `next`: the number that the next call to begin will have. `isPaced`: from here on the starts of the calls that were
   * refused are spaced, so that their number at a time does not have to hold the rate.
   */
  rateLimited(number: number, next: number, isPaced: boolean): void;
}

/**
 * Starts at min(most, 20), or a twentieth of `expectedCalls` where that is more, and grows fast up to a ceiling: by one after
 * 1, 1, 2, 2, 3 … ms while a call waits for room, and by two with each success beyond the first calls. The ceiling is `most`
 * until a rate limit shrinks it to 0.8 of it, at least 1, once per round trip: what began before the last shrink shows nothing
 * new. At the ceiling, both grow by one per round, which is as many successes as the limit is high; never above `most`.
 *
 * Until one of the calls beyond the first 20 is answered, they begin one by one and ever later, even where there is room.
 * A server that lets 20 through refuses one of these then, and the successors of the first 20, which all end at about the
 * same time, do not come as a second burst: a refusal that takes 50 ms costs 15 requests, a fast one costs two. Where more than
 * 20 are a small part of the run, so is a second burst. A server that refuses nothing and answers after 50 ms is at full
 * speed after 70 ms at the latest. Late timers are not made up for, because a process that was too busy to start a call has
 * not heard of refusals either.
 */
export function createGrowingLimit(most: number, expectedCalls: number): GrowingLimit {
  let ceiling = Math.max(1, most);
  const first = Math.max(firstCalls.least, Math.floor(expectedCalls * firstCalls.part));
  let limit = Math.min(ceiling, first);
  let isAnswered = first > firstCalls.least;
  let stepAt: number | null = null;
  let shrunkBefore = 0;
  let inRound = 0;
  /** How long the next call waits for an answer to those before it: 1, 1, 2, 2, 3 … ms, the higher the limit is. */
  const stepMs = (): number => Math.ceil((limit + 1 - first) / 2);

  return {
    get current() {
      return limit;
    },
    readyAt(number, active, now) {
      if (active >= ceiling) return Number.POSITIVE_INFINITY;
      if (active < limit && (isAnswered || number < first)) return now;
      stepAt ??= now + stepMs();
      return Math.max(now, stepAt);
    },
    began(number, active, now) {
      if (active < limit && (isAnswered || number < first)) return;
      limit = Math.max(limit, active + 1);
      stepAt = now + stepMs();
    },
    succeeded(number) {
      const isFurther = number >= first;
      isAnswered ||= isFurther;
      if (limit >= most) return false;
      if (limit < ceiling) {
        if (isFurther) limit = Math.min(ceiling, limit + furtherGrowth);
        return false;
      }
      inRound += 1;
      if (inRound < limit) return false;
      inRound = 0;
      ceiling += 1;
      limit += 1;
      return true;
    },
    rateLimited(number, next, isPaced) {
      isAnswered = true;
      if (number < shrunkBefore) return;
      shrunkBefore = next;
      inRound = 0;
      ceiling = Math.max(1, Math.floor((isPaced ? ceiling : limit) * shrinkFactor));
      limit = Math.min(limit, ceiling);
    },
  };
}
