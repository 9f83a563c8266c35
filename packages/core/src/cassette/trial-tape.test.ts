import { expect, it } from "vitest";
import type { ExchangeLine } from "./cassette-lines.js";
import { createTrialTape } from "./trial-tape.js";

const exchange = (key: string, n: number): ExchangeLine => ({
  exchange: key,
  case: "c",
  trial: 1,
  n,
  turn: 1,
  attempt: 1,
  text: `${key} ${n}`,
  ms: 1,
});

it("gives out the recordings of a key one after the other, in whatever order they stand", () => {
  const tape = createTrialTape("c", 1, [exchange("a", 2), exchange("b", 1), exchange("a", 1)], () => true);
  expect([tape.take("a"), tape.take("a"), tape.take("a"), tape.take("x")]).toMatchObject([
    { n: 1 },
    { n: 2 },
    null,
    null,
  ]);
  expect(tape.leftOver()).toMatchObject([{ exchange: "b" }]);
});

it("passes over what may not be given out", () => {
  const tape = createTrialTape("c", 1, [exchange("a", 1), exchange("a", 2)], ({ n }) => n === 2);
  expect([tape.take("a"), tape.take("a")]).toMatchObject([{ n: 2 }, null]);
});

it("keeps the order of the asking, however long the answers take, and what was never answered is not there", () => {
  const tape = createTrialTape("c", 1, [], () => true);
  const [first, second, third] = [tape.begin(null), tape.begin({ request: "k", body: null }), tape.begin(null)];
  third.fill(exchange("c", 1));
  first.fill(exchange("a", 1));
  second.fill(exchange("b", 1));
  second.fill(null);
  expect(tape.entries().map((entry) => "exchange" in entry && entry.exchange)).toEqual(["a", "c"]);
  expect([...tape.requests.keys()]).toEqual(["k"]);
});

it("knows whether anything is new", () => {
  const tape = createTrialTape("c", 1, [exchange("a", 1)], () => true);
  const slot = tape.begin(null);
  slot.fill(tape.take("a"));
  expect(tape.hasNew).toBe(false);
  tape.begin(null).fill(exchange("b", 1));
  expect(tape.hasNew).toBe(true);
});
