import type { Clock } from "../../values/clock.js";

/**
 * For how long answers are handed on before the requests that follow from them are sent, milliseconds. A slice after which more
 * are waiting is followed by a longer one: each turn of the event loop costs time, which counts where answers never cease.
 */
const sliceMs = { first: 0.5, growth: 1.2, most: 10 };
/** Few answers take so little that more would fit. */
const mostInTurn = 50;

/** Hands answers on in their order, not all of them at once. */
export interface AnswerTurns {
  /** Calls back now, or in a later turn of the event loop. */
  add(handOn: () => void): void;
}

/**
 * A request is sent when the event loop has gone through all that came in. Of fifty answers that come together, the first
 * would have its trial judged and the next request made, which then waited until that was done for all fifty; they would be
 * sent together, and answered together again, while the server stood still. Here answers are handed on for a short slice of
 * time in each turn of the loop, so that requests are sent, and answers come, all the time.
 */
export function createAnswerTurns(clock: Pick<Clock, "monotonic">): AnswerTurns {
  const waiting: (() => void)[] = [];
  let isUnderWay = false;
  let slice = sliceMs.first;
  let endsAt = 0;
  /** Callbacks of the next turn that take an answer each: only between them all that follows from an answer is done. */
  let takers = 0;

  const begin = (): void => {
    isUnderWay = true;
    endsAt = clock.monotonic() + slice;
    setImmediate(nextTurn);
  };

  const nextTurn = (): void => {
    isUnderWay = false;
    slice = waiting.length > 0 ? Math.min(slice * sliceMs.growth, sliceMs.most) : sliceMs.first;
    if (waiting.length > 0) begin();
  };

  const addTaker = (): void => {
    if (takers >= Math.min(waiting.length, mostInTurn)) return;
    takers += 1;
    setImmediate(take);
  };

  const take = (): void => {
    takers -= 1;
    if (clock.monotonic() < endsAt) waiting.shift()?.();
    addTaker();
  };

  return {
    add(handOn) {
      if (!isUnderWay) begin();
      else if (waiting.length > 0 || clock.monotonic() >= endsAt) {
        waiting.push(handOn);
        return addTaker();
      }
      handOn();
    },
  };
}
