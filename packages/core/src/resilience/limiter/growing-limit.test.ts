import { describe, expect, it } from "vitest";
import { createGrowingLimit } from "./growing-limit.js";

/** A limit of which so many calls have begun at 0 ms, as far as it lets them. */
function begun(most: number, calls: number, expectedCalls = calls) {
  const limit = createGrowingLimit(most, expectedCalls);
  for (let number = 0; number < calls; number += 1) limit.began(number, number, 0);
  return limit;
}

describe("createGrowingLimit", () => {
  it.each([
    [1, 200, 1],
    [8, 200, 8],
    [20, 200, 20],
    [50, 200, 20],
    [50, 400, 20],
    [50, 620, 31],
    [50, 1_000, 50],
    [100, 1_000, 50],
    [8, 1_000, 8],
  ])("starts with %i allowed and %i expected at %i", (most, expectedCalls, first) => {
    const limit = begun(most, first - 1, expectedCalls);
    expect(limit.current).toBe(first);
    expect(limit.readyAt(first - 1, first - 1, 0)).toBe(0);
    limit.began(first - 1, first - 1, 0);
    expect(limit.readyAt(first, first, 0)).toBe(most > first ? 1 : Number.POSITIVE_INFINITY);
  });

  it("grows by one for a call that waited, ever more slowly, and makes up for no late timer", () => {
    const limit = begun(24, 20);
    expect(limit.readyAt(20, 20, 3)).toBe(4);
    expect(limit.readyAt(20, 20, 100)).toBe(100);
    limit.began(20, 20, 100);
    expect(limit.current).toBe(21);
    expect(limit.readyAt(21, 21, 100)).toBe(101);
    limit.began(21, 21, 101);
    expect(limit.readyAt(22, 22, 101)).toBe(103);
    limit.began(22, 22, 103);
    expect(limit.readyAt(23, 23, 103)).toBe(105);
    limit.began(23, 23, 105);
    expect(limit.readyAt(24, 24, 200)).toBe(Number.POSITIVE_INFINITY);
    expect(limit.current).toBe(24);
  });

  it("lets calls beyond the first 20 begin one by one until one of them is answered", () => {
    const limit = begun(20, 20);
    for (let number = 0; number < 20; number += 1) limit.succeeded(number);
    expect(limit.readyAt(20, 0, 58)).toBe(59);
    limit.began(20, 0, 59);
    expect(limit.readyAt(21, 1, 59)).toBe(60);
    limit.succeeded(20);
    expect(limit.readyAt(21, 0, 60)).toBe(60);
    limit.began(21, 0, 60);
    expect(limit.readyAt(22, 1, 60)).toBe(60);
  });

  it("does not hold back the successors of the first calls where these are a small part of the run", () => {
    const limit = begun(50, 50, 1_000);
    for (let number = 0; number < 50; number += 1) limit.succeeded(number);
    for (let number = 50; number < 100; number += 1) {
      expect(limit.readyAt(number, number - 50, 58)).toBe(58);
      limit.began(number, number - 50, 58);
    }
    expect(limit.readyAt(100, 50, 58)).toBe(Number.POSITIVE_INFINITY);
  });

  it("grows by two per success of further calls, never above what is allowed", () => {
    const limit = begun(23, 20);
    for (let number = 0; number < 20; number += 1) limit.succeeded(number);
    expect(limit.current).toBe(20);
    expect(limit.succeeded(20)).toBe(false);
    expect(limit.current).toBe(22);
    for (let number = 21; number < 30; number += 1) limit.succeeded(number);
    expect(limit.current).toBe(23);
  });

  it("shrinks to 0.8 once per round trip", () => {
    const limit = begun(20, 20);
    limit.rateLimited(5, 20, false);
    limit.rateLimited(6, 20, false);
    limit.rateLimited(19, 30, false);
    expect(limit.current).toBe(16);
    limit.rateLimited(20, 30, false);
    expect(limit.current).toBe(12);
  });

  it("shrinks the ceiling alone while it is far below it and starts are spaced", () => {
    const limit = begun(50, 20);
    limit.rateLimited(5, 20, true);
    expect(limit.current).toBe(20);
    for (let number = 20; number < 100; number += 1) limit.succeeded(number);
    expect(limit.current).toBe(41);
  });

  it("never falls below 1", () => {
    const limit = createGrowingLimit(3, 9);
    for (let number = 0; number < 9; number += 1) limit.rateLimited(number, number + 1, false);
    expect(limit.current).toBe(1);
  });

  it("grows by one per round after a rate limit", () => {
    const limit = begun(20, 20);
    limit.rateLimited(0, 20, false);
    for (let round = 16; round < 20; round += 1) {
      for (let success = 1; success < round; success += 1) limit.succeeded(100);
      expect(limit.current).toBe(round);
      expect(limit.succeeded(100)).toBe(true);
      expect(limit.current).toBe(round + 1);
    }
    for (let success = 0; success < 50; success += 1) limit.succeeded(100);
    expect(limit.current).toBe(20);
  });
});
