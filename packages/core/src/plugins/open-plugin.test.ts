import { expect, it } from "vitest";
import { createObserverQueue } from "./open-plugin.js";

it("takes no more than it has room for, and says how many it did not get to", async () => {
  const queue = createObserverQueue(2);
  const seen: number[] = [];
  const task = (number: number) => async (): Promise<void> => void seen.push(number);
  for (const number of [1, 2, 3]) queue.add(task(number));
  await queue.idle();
  queue.add(task(4));
  expect([seen, queue.close()]).toEqual([[1, 2], 2]);
  queue.add(task(5));
  await queue.idle();
  expect(seen).toEqual([1, 2]);
});

it("keeps the order of very many, those included that come in meanwhile", async () => {
  const queue = createObserverQueue();
  const seen: number[] = [];
  for (let number = 0; number < 2_500; number += 1) {
    queue.add(async () => {
      seen.push(number);
      if (number % 1_000 === 0) queue.add(async () => void seen.push(10_000 + number));
    });
  }
  await queue.idle();
  expect(seen).toEqual([...Array.from({ length: 2_500 }, (_, index) => index), 10_000, 11_000, 12_000]);
  expect(queue.close()).toBe(0);
});
