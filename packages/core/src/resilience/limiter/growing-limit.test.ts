import { describe, expect, it } from "vitest";
import { createGrowingLimit } from "./growing-limit.js";

describe("createGrowingLimit", () => {
  it.each([
    [1, 1],
    [8, 8],
    [20, 20],
    [50, 20],
  ])("starts with %i allowed at %i", (most, first) => {
    expect(createGrowingLimit(most).current).toBe(first);
  });

  it("grows by one per success once the first round trip is over, never above what is allowed", () => {
    const limit = createGrowingLimit(23);
    for (let number = 0; number < 20; number += 1) limit.succeeded(number, 20 + number);
    expect(limit.current).toBe(20);
    limit.succeeded(20, 41);
    limit.succeeded(21, 43);
    expect(limit.current).toBe(22);
    for (let number = 22; number < 30; number += 1) limit.succeeded(number, 50);
    expect(limit.current).toBe(23);
  });

  it("shrinks to 0.8 once per round trip", () => {
    const limit = createGrowingLimit(20);
    expect(limit.rateLimited(5, 20)).toBe(true);
    expect(limit.rateLimited(6, 20)).toBe(false);
    expect(limit.rateLimited(19, 30)).toBe(false);
    expect(limit.current).toBe(16);
    expect(limit.rateLimited(20, 30)).toBe(true);
    expect(limit.current).toBe(12);
  });

  it("never falls below 1", () => {
    const limit = createGrowingLimit(3);
    for (let number = 0; number < 9; number += 1) limit.rateLimited(number, number + 1);
    expect(limit.current).toBe(1);
  });

  it("grows by one per round after a rate limit", () => {
    const limit = createGrowingLimit(20);
    limit.rateLimited(0, 20);
    for (let round = 16; round < 20; round += 1) {
      for (let success = 1; success < round; success += 1) limit.succeeded(100, 101);
      expect(limit.current).toBe(round);
      limit.succeeded(100, 101);
      expect(limit.current).toBe(round + 1);
    }
    for (let success = 0; success < 50; success += 1) limit.succeeded(100, 101);
    expect(limit.current).toBe(20);
  });
});
