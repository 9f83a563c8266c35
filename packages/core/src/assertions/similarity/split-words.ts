import { withinTime } from "../../matchers/within-time.js";

/** A word, or a single character of a script that does not separate its words. */
export interface Word {
  text: string;
  /** Its start in the string, in UTF-16 units. */
  start: number;
  end: number;
}

/**
 * Scripts without spaces between words: there each character counts as a word. A letter with the marks on it is one.
 * Everything else is parted at what is neither letter, mark nor digit: "don't" is two words, "49.99" too.
 */
const wordPattern =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{M}\p{N}])+/gu;

const visiblePattern = /\S/gu;

/** Splits a string into words, in their order. */
export function splitWords(text: string): readonly Word[] {
  return split(text, wordPattern);
}

/** Splits a string into characters other than whitespace, for strings such as "👍" that have no words. */
export function splitCharacters(text: string): readonly Word[] {
  return split(text, visiblePattern);
}

/** Shorter strings are split in a few milliseconds. */
const cheapLength = 20_000;

function split(text: string, pattern: RegExp): readonly Word[] {
  return withinTime(
    () => text.length <= cheapLength,
    () => findWords(text, pattern),
  );
}

function findWords(text: string, pattern: RegExp): readonly Word[] {
  const words: Word[] = [];
  for (const { 0: found, index } of text.matchAll(pattern)) {
    words.push({ text: found, start: index, end: index + found.length });
  }
  return words;
}
