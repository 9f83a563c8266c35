import { describe, expect, it } from "vitest";
import { schedule } from "./schedule.js";

/** Tasks that end when they are told to. */
function manualTasks(count: number) {
  const release: (() => void)[] = [];
  let taken = 0;
  let running = 0;
  let most = 0;
  function* source(): Generator<() => Promise<void>> {
    for (let index = 0; index < count; index += 1) {
      taken += 1;
      yield async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => {
          release.push(resolve);
        });
        running -= 1;
      };
    }
  }
  return { source, release, state: () => ({ taken, running, most }) };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("schedule", () => {
  it("takes no task before there is room for it", async () => {
    const tasks = manualTasks(10);
    const finished = schedule(tasks.source(), 3);
    await settle();
    expect(tasks.state()).toEqual({ taken: 3, running: 3, most: 3 });
    tasks.release.shift()?.();
    await settle();
    expect(tasks.state()).toEqual({ taken: 4, running: 3, most: 3 });
    for (let left = 0; left < 9; left += 1) {
      tasks.release.shift()?.();
      await settle();
    }
    await finished;
    expect(tasks.state()).toEqual({ taken: 10, running: 0, most: 3 });
  });

  it("ends at once when there is nothing to do", async () => {
    await expect(schedule([], 4)).resolves.toBeUndefined();
  });

  it("runs one after the other at concurrency 1", async () => {
    const order: string[] = [];
    const task = (name: string) => async () => {
      order.push(`${name} starts`);
      await settle();
      order.push(`${name} ends`);
    };
    await schedule([task("a"), task("b")], 1);
    expect(order).toEqual(["a starts", "a ends", "b starts", "b ends"]);
  });
});
