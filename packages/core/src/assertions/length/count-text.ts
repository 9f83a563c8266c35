import { unicodePattern } from "../../values/unicode-pattern.js";

/** Below U+0300 every code unit but a carriage return is one character. */
const composed = unicodePattern(String.raw`[^\p{ASCII}\u0080-\u02ff]|\r`);
/** Scripts that put no space between words. */
const unspaced = unicodePattern(
  String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`,
);
const wordLike = unicodePattern(String.raw`[\p{L}\p{N}]`);

/** Characters as a reader counts them (extended grapheme clusters): an emoji or an accented letter is one. */
export function countCharacters(text: string): number {
  if (!composed().test(text)) return text.length;
  return count(new Intl.Segmenter("und", { granularity: "grapheme" }), text, () => true);
}

/**
 * Words: strings between whitespace that contain a letter or a digit, so `state-of-the-art` is one. Text in a
 * script without spaces is divided by the word rules of Unicode (UAX #29) and the dictionaries of the runtime.
 */
export function countWords(text: string): number {
  if (!unspaced().test(text)) return text.split(/\s+/).filter((piece) => wordLike().test(piece)).length;
  return count(new Intl.Segmenter("und", { granularity: "word" }), text, ({ isWordLike }) => isWordLike === true);
}

/** Where V8 divides a longer text, it takes time with the square of its length. */
const pieceLength = 1_024;
/** So many segments at the end of a piece may be others once it goes on. */
const unsure = 8;

/** Divides text piece by piece. A piece begins where a segment does, so nothing is divided otherwise than as a whole. */
function count(segmenter: Intl.Segmenter, text: string, counts: (segment: Intl.SegmentData) => boolean): number {
  let total = 0;
  let length = pieceLength;
  for (let start = 0; start < text.length;) {
    const isLast = start + length >= text.length;
    const segments = [...segmenter.segment(text.slice(start, start + length))];
    const sure = isLast ? segments.length : segments.length - unsure;
    for (const segment of segments.slice(0, Math.max(0, sure))) if (counts(segment)) total += 1;
    start += isLast ? length : (segments[sure]?.index ?? 0);
    // A single segment may be as long as the text.
    length = sure > 0 ? pieceLength : length * 2;
  }
  return total;
}
