import { Script } from "node:vm";
import { onTestFinished, vi } from "vitest";

/**
 * From now on to the end of the test, evaluations are ended after 1/25 of the time that they have: no time is enough
 * for what backtracks without end, so that a part shows the same. Gives the deadlines that were set, in milliseconds.
 */
export function shortenDeadlines(): { deadlines: readonly number[]; restore: () => void } {
  const original = Script.prototype.runInContext;
  const deadlines: number[] = [];
  const timed = vi.spyOn(Script.prototype, "runInContext");
  timed.mockImplementation(function (this: Script, context, options) {
    const timeout = typeof options === "object" ? (options.timeout ?? 0) : 0;
    deadlines.push(timeout);
    const result: unknown = original.call(this, context, { timeout: timeout / 25 });
    return result;
  });
  onTestFinished(() => timed.mockRestore());
  return { deadlines, restore: () => timed.mockRestore() };
}
