import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { activeMs } from "../../__fixtures__/active-ms.js";
import { countCharacters, countWords } from "./length.js";

describe("countCharacters", () => {
  it.each([
    ["", 0],
    ["hello", 5],
    ["größe", 5],
    ["e\u0301", 1],
    ["👩‍👩‍👧‍👦", 1],
    ["🇩🇪🇫🇷", 2],
    ["a\r\nb", 3],
    ["日本語", 3],
  ])("%j has %i", (text, count) => {
    expect(countCharacters(text)).toBe(count);
  });
});

describe("countWords", () => {
  it.each([
    ["", 0],
    ["  \n ", 0],
    ["Hello, dear world!", 3],
    ["a state-of-the-art e-mail", 3],
    ["yes — no", 2],
    ["it's 3.5 km", 3],
    ["今日は", 2],
  ])("%j has %i", (text, count) => {
    expect(countWords(text)).toBe(count);
  });
});

describe("long texts", () => {
  const parts = [
    "a",
    "b ",
    "\r",
    "\n",
    "\u0301",
    "👩‍👩‍👧‍👦",
    "🇩🇪",
    "\u200d",
    "각",
    "ᄀ",
    "\u0600",
    "क्ष",
    "\ud83d",
    "𐀀\u{1e000}",
    ". ",
  ];
  const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });

  it("have as many characters as when they are divided as a whole", () => {
    const text = fc.array(fc.tuple(fc.constantFrom(...parts), fc.integer({ min: 1, max: 300 })), { maxLength: 8 });
    fc.assert(
      fc.property(text, (runs) => {
        const written = runs.map(([part, times]) => part.repeat(times)).join("");
        expect(countCharacters(written)).toBe([...segmenter.segment(written)].length);
      }),
      { numRuns: 60 },
    );
  });

  it("of words too, in scripts that put spaces between them and in others", () => {
    const words = new Intl.Segmenter("und", { granularity: "word" });
    const text = fc.array(fc.constantFrom("今日は", "ภาษาไทย ", "can't ", "3.5", " ", "漢字"), { maxLength: 900 });
    fc.assert(
      fc.property(text, (pieces) => {
        const written = `漢 ${pieces.join("")}`;
        expect(countWords(written)).toBe([...words.segment(written)].filter(({ isWordLike }) => isWordLike).length);
      }),
      { numRuns: 20 },
    );
  });

  it.each(["👩‍👩‍👧‍👦", "각", "🇩🇪", "\u0301"])("of %j take time in proportion to their length", (part) => {
    const text = `漢${part.repeat(Math.ceil(100_000 / part.length))}`;
    expect(activeMs(() => void countCharacters(text))).toBeLessThan(700);
  });
});
