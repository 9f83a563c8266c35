import type { ManualClock } from "../../packages/core/src/__fixtures__/manual-clock.js";

const everyMs = 5;

/**
 * Moves the clock on by `stepMs` every 5 ms until the promise settles. Both run in this thread: a busy machine makes both
 * slower, so a test may state how much time of the clock may pass.
 */
export function whileAdvancing<Value>(clock: ManualClock, stepMs: number, promise: Promise<Value>): Promise<Value> {
  const advancing = setInterval(() => clock.advance(stepMs), everyMs);
  return promise.finally(() => clearInterval(advancing));
}
