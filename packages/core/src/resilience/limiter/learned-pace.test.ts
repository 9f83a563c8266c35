import { describe, expect, it } from "vitest";
import { LearnedPace } from "./learned-pace.js";

/** A pace after `letThrough` starts at a time and one more that was refused. */
function refusedAfter(letThrough: number, hintMs: number | null, at = 0) {
  const pace = new LearnedPace();
  for (let number = 0; number <= letThrough; number += 1) pace.began(at);
  pace.refused({ number: letThrough, at }, hintMs, letThrough + 1);
  return pace;
}

describe("LearnedPace", () => {
  it("holds nothing back before a refusal", () => {
    const pace = new LearnedPace();
    for (let now = 0; now < 100; now += 1) {
      expect(pace.readyAt(now)).toBe(now);
      pace.began(now);
    }
    expect(pace.perSecond).toBeNull();
  });

  it.each([
    ["a window of one second", 20, 999, 19.2],
    ["a window of one minute", 100, 59_990, 1.6],
    ["the second for which a limit holds at least", 20, 50, 19.2],
    ["a hint that was rounded up", 20, 2_000, 12.8],
  ])("measures %s", (_name, letThrough, hintMs, perSecond) => {
    const pace = refusedAfter(letThrough, hintMs);
    expect(pace.perSecond).toBeCloseTo(perSecond, 1);
    expect(pace.readyAt(0)).toBe(hintMs);
  });

  it("counts from the first start, however long the clock has run", () => {
    expect(refusedAfter(20, 999, 700).perSecond).toBeCloseTo(19.2, 1);
  });

  it("learns nothing from one lonely call", () => {
    const pace = refusedAfter(0, 0);
    expect(pace.perSecond).toBeNull();
    expect(pace.readyAt(0)).toBe(0);
  });

  it("waits for the end of the period where there is no hint", () => {
    expect(refusedAfter(20, null).readyAt(0)).toBe(1_000);
  });

  it("goes by the latest end that the refusals of a round trip name", () => {
    const pace = new LearnedPace();
    for (let number = 0; number < 12; number += 1) pace.began(0);
    expect(pace.refused({ number: 10, at: 0 }, 100, 12)).toBe(true);
    expect(pace.refused({ number: 11, at: 0 }, 4_999, 12)).toBe(false);
    expect(pace.perSecond).toBeCloseTo((10 / 4.999) * 0.96, 3);
    expect(pace.readyAt(0)).toBe(4_999);
  });

  it("spaces the starts, and lets those that a late timer held up catch up for 20 ms", () => {
    const pace = refusedAfter(100, 999);
    const gap = 1_000 / 96;
    pace.began(999);
    expect(pace.readyAt(999)).toBeCloseTo(999 + gap);
    let now = 2_000;
    let inBurst = 0;
    while (pace.readyAt(now) <= now) {
      pace.began(now);
      inBurst += 1;
    }
    expect(inBurst).toBe(2);
    now = pace.readyAt(now);
    expect(now - 2_000).toBeGreaterThan(0);
    expect(now - 2_000).toBeLessThanOrEqual(gap);
  });

  it("is still known after a pause that is longer than ten seconds", () => {
    const pace = refusedAfter(20, 59_990);
    pace.began(70_000);
    expect(pace.perSecond).toBeCloseTo((20 / 59.99) * 0.96, 3);
  });

  it("is forgotten when it has held nothing back for ten seconds", () => {
    const pace = refusedAfter(20, 999);
    pace.began(999);
    pace.began(10_000);
    expect(pace.perSecond).toBeGreaterThan(0);
    pace.began(11_000);
    expect(pace.perSecond).toBeNull();
  });
});
