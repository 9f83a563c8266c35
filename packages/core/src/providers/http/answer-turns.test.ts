import { describe, expect, it } from "vitest";
import { createManualClock } from "../../__fixtures__/manual-clock.js";
import { createAnswerTurns } from "./answer-turns.js";

const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Hands on answers each of which takes so long. */
function handing(tookMs: number) {
  const clock = createManualClock();
  const turns = createAnswerTurns(clock);
  const log: number[] = [];
  const add = (number: number): void =>
    turns.add(() => {
      log.push(number);
      clock.advance(tookMs);
    });
  return { add, log };
}

describe("createAnswerTurns", () => {
  it("hands on at once what takes no time", () => {
    const { add, log } = handing(0);
    [1, 2, 3].forEach(add);
    expect(log).toEqual([1, 2, 3]);
  });

  it("leaves the others for later turns of the loop once a slice of time is over, in their order", async () => {
    const { add, log } = handing(0.3);
    [1, 2, 3, 4, 5].forEach(add);
    expect(log).toEqual([1, 2]);
    await aTurn();
    add(6);
    expect(log).toEqual([1, 2, 3, 4]);
    await aTurn();
    expect(log).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("hands on more in each turn while answers do not cease, and few again after a pause", async () => {
    const { add, log } = handing(0.2);
    const turn = async (number: number): Promise<number> => {
      const before = log.length;
      for (let added = 0; added < 60; added += 1) add(number);
      await aTurn();
      return log.length - before;
    };
    const first = await turn(1);
    const sizes: number[] = [];
    for (let number = 2; number < 30; number += 1) sizes.push(await turn(number));
    expect(first).toBeLessThan(10);
    expect(Math.max(...sizes)).toBe(50);
    while (log.length < 29 * 60) await aTurn();
    await aTurn();
    add(30);
    await aTurn();
    expect(await turn(31)).toBeLessThanOrEqual(first);
  });

  it("hands on none before all that follows from the one before is done", async () => {
    const clock = createManualClock();
    const turns = createAnswerTurns(clock);
    const log: string[] = [];
    turns.add(() => clock.advance(10));
    for (const name of ["a", "b"]) {
      turns.add(() => {
        void Promise.resolve()
          .then(() => log.push(`${name} is judged`))
          .then(() => log.push(`${name} is over`));
      });
    }
    await aTurn();
    expect(log).toEqual(["a is judged", "a is over", "b is judged", "b is over"]);
  });

  it("begins again with each turn of the loop", async () => {
    const { add, log } = handing(10);
    add(1);
    await aTurn();
    add(2);
    expect(log).toEqual([1, 2]);
  });
});
