import { expect, it } from "vitest";
import { spentUsdOf } from "./turn.js";

it.each([
  [{ costUsd: 0.5 }, 0.5],
  [{ costUsd: null }, 0],
  [{ costUsd: 0.5, replayed: true as const }, 0],
])("a turn of %j took $%d from the budget", (turn, expected) => {
  expect(spentUsdOf(turn)).toBe(expected);
});
