import { describe, expect, it } from "vitest";
import { createRandom, hashText } from "./random.js";

describe("random", () => {
  it("repeats itself for a seed and differs between seeds", () => {
    const draw = (seed: number) => Array.from({ length: 5 }, createRandom(seed));
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(hashText("a")).not.toBe(hashText("b"));
  });

  it("is uniform enough for a test runner", () => {
    const random = createRandom(7);
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let draw = 0; draw < 100_000; draw += 1) {
      const bucket = Math.floor(random() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    // Five standard deviations of a bucket are 475.
    for (const count of buckets) expect(Math.abs(count - 10_000)).toBeLessThan(475);
  });
});
