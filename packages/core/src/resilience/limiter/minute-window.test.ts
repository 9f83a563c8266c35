import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMinuteWindow } from "./minute-window.js";

interface Began {
  at: number;
  tokens: number;
}

/** Starts each call as soon as the window allows it, but not before it is asked for. */
function start(limits: { requestsPerMinute: number | null; tokensPerMinute: number | null }, calls: Began[]): Began[] {
  const window = createMinuteWindow(limits);
  let now = 0;
  return calls.map(({ at, tokens }) => {
    now = Math.max(now, at);
    for (;;) {
      const readyAt = window.readyAt(tokens, now);
      if (readyAt <= now) break;
      now = readyAt;
    }
    window.began(tokens, now);
    return { at: now, tokens };
  });
}

const within = (began: Began[], from: number): Began[] => began.filter(({ at }) => at >= from && at < from + 60_000);
const askedAt = fc.oneof(fc.integer({ min: 0, max: 400_000 }), fc.integer({ min: 0, max: 300 }));
const call = fc.record({ at: askedAt, tokens: fc.integer({ min: 1, max: 300 }) });

describe("createMinuteWindow", () => {
  it("lets no window of 60 s hold more requests or tokens than allowed", () => {
    fc.assert(
      fc.property(
        fc.array(call, { maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 50, max: 800 }),
        (calls, requestsPerMinute, tokensPerMinute) => {
          const sorted = calls.toSorted((a, b) => a.at - b.at);
          const began = start({ requestsPerMinute, tokensPerMinute }, sorted);
          for (const { at } of began) {
            const inside = within(began, at);
            expect(inside.length).toBeLessThanOrEqual(requestsPerMinute);
            const tokens = inside.reduce((sum, each) => sum + each.tokens, 0);
            expect(tokens <= tokensPerMinute || inside.length === 1).toBe(true);
          }
        },
      ),
    );
  });

  it("lets the next begin as soon as the first is 60 s old", () => {
    const began = start({ requestsPerMinute: 2, tokensPerMinute: null }, [
      { at: 0, tokens: 1 },
      { at: 500, tokens: 1 },
      { at: 600, tokens: 1 },
    ]);
    expect(began.map(({ at }) => at)).toEqual([0, 500, 60_000]);
  });

  it("counts starts that are close together until the last of them is 60 s old", () => {
    const calls = [0, 99, 150].map((at) => ({ at, tokens: 1 }));
    const began = start({ requestsPerMinute: 2, tokensPerMinute: null }, calls);
    expect(began.map(({ at }) => at)).toEqual([0, 99, 60_099]);
  });

  it("lets a call above the limit go alone", () => {
    const began = start({ requestsPerMinute: null, tokensPerMinute: 100 }, [
      { at: 0, tokens: 60 },
      { at: 0, tokens: 500 },
      { at: 0, tokens: 10 },
    ]);
    expect(began.map(({ at }) => at)).toEqual([0, 60_000, 120_000]);
  });

  it("puts the real number in the place of the estimate while it counts", () => {
    const window = createMinuteWindow({ requestsPerMinute: null, tokensPerMinute: 100 });
    const entry = window.began(80, 0);
    expect(window.readyAt(50, 1_000)).toBe(60_000);
    window.correct(entry, 80, 30);
    expect(window.readyAt(50, 1_000)).toBe(1_000);
    window.correct(entry, 30, 90);
    expect(window.readyAt(50, 1_000)).toBe(60_000);
    expect(window.readyAt(50, 60_000)).toBe(60_000);
    window.began(10, 60_000);
    window.correct(entry, 90, 1_000);
    expect(window.readyAt(90, 60_000)).toBe(60_000);
  });
});
