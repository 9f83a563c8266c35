import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../__fixtures__/any-text.js";
import { embedWords } from "./scripted-adapter.js";

function cosine(one: string, other: string): number {
  const [a, b] = [embedWords(one), embedWords(other)];
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe("embedWords", () => {
  it.each([
    ["Order ORD-1 was delivered.", "delivered was ord 1, order", 1],
    ["a b", "c d", 0],
    ["one two three four", "one two three five", 0.75],
    ["👍", "👍", 1],
  ])("%s and %s", (one, other, expected) => {
    expect(cosine(one, other)).toBeCloseTo(expected, 12);
  });

  it("has no vector of no length, unless the text is blank", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const isBlank = text.trim() === "";
        expect(embedWords(text).some((value) => value > 0)).toBe(!isBlank);
        expect(embedWords(text)).toHaveLength(256);
      }),
    );
  });
});
