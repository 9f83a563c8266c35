import { describe, expect, it } from "vitest";
import { countCharacters, countWords } from "./count-text.js";

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
