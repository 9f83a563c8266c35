import { unicodePattern } from "../../values/unicode-pattern.js";

/** Below U+0300 every code unit but a carriage return is a character of its own. */
const composed = unicodePattern(String.raw`[^\p{ASCII}\u0080-\u02ff]|\r`);
/** Scripts that put no space between words. */
const unspaced = unicodePattern(
  String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`,
);
const wordLike = unicodePattern(String.raw`[\p{L}\p{N}]`);

/** Characters as a reader counts them (extended grapheme clusters): an emoji or an accented letter is one. */
export function countCharacters(text: string): number {
  if (!composed().test(text)) return text.length;
  return count(new Intl.Segmenter("und", { granularity: "grapheme" }).segment(text), () => true);
}

/**
 * Words: what stands between white space and holds a letter or a digit, so that `state-of-the-art` is one. A text in a
 * script without spaces is divided by the word rules of Unicode (UAX #29) and the dictionaries of the runtime.
 */
export function countWords(text: string): number {
  if (!unspaced().test(text)) return text.split(/\s+/).filter((piece) => wordLike().test(piece)).length;
  const segments = new Intl.Segmenter("und", { granularity: "word" }).segment(text);
  return count(segments, (segment) => segment.isWordLike === true);
}

function count(segments: Iterable<Intl.SegmentData>, counts: (segment: Intl.SegmentData) => boolean): number {
  let total = 0;
  for (const segment of segments) if (counts(segment)) total += 1;
  return total;
}
