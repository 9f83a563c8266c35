import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { boundKeys, requireBounds } from "../limits/bounded-options.js";
import { decideBounds } from "../limits/bounds.js";
import { defineTextCheck } from "../text/read-output.js";
import { unicodePattern } from "../../values/unicode-pattern.js";

export const length = defineTextCheck({
  type: "length",
  summary: "The length of the final answer, in characters as a reader counts them or in words, is within bounds.",
  example: "{ type: length, max: 80, unit: words }",
  options: requireBounds(
    strictObject({
      ...boundKeys(z.int().nonnegative(), "the length"),
      unit: z.enum(["characters", "words"]).default("characters").describe("What is counted. Default characters."),
    }),
  ),
  check({ unit, ...bounds }, output) {
    const count = unit === "words" ? countWords(output) : countCharacters(output);
    const singular = unit === "words" ? "word" : "character";
    return decideBounds("length of the answer", count, bounds, (value) => `${value} ${value === 1 ? singular : unit}`);
  },
});

/** Below U+0300 every code unit but a carriage return is one character. */
const composed = unicodePattern(String.raw`[^\p{ASCII}\u0080-\u02ff]|\r`);
/** Scripts that put no space between words. */
const unspaced = unicodePattern(
  String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`,
);
const wordLike = unicodePattern(String.raw`[\p{L}\p{N}]`);

/** Where V8 divides a longer text, it takes time with the square of its length. */
const pieceLength = 1_024;
/** So many segments at the end of a piece may be others once it goes on. */
const unsure = 8;

/** Characters as a reader counts them (extended grapheme clusters): an emoji or an accented letter is one. */
export function countCharacters(text: string): number {
  if (!composed().test(text)) return text.length;
  return countSegments(new Intl.Segmenter("und", { granularity: "grapheme" }), text, () => true);
}

/**
 * Words: strings between whitespace that contain a letter or a digit, so `state-of-the-art` is one. Text in a
 * script without spaces is divided by the word rules of Unicode (UAX #29) and the dictionaries of the runtime.
 */
export function countWords(text: string): number {
  if (!unspaced().test(text)) return text.split(/\s+/).filter((piece) => wordLike().test(piece)).length;
  return countSegments(
    new Intl.Segmenter("und", { granularity: "word" }),
    text,
    ({ isWordLike }) => isWordLike === true,
  );
}

/** Divides text piece by piece. A piece begins where a segment does, so the pieces give the same segments as the whole text. */
function countSegments(
  segmenter: Intl.Segmenter,
  text: string,
  counts: (segment: Intl.SegmentData) => boolean,
): number {
  let total = 0;
  let pieceSize = pieceLength;
  for (let start = 0; start < text.length;) {
    const isLast = start + pieceSize >= text.length;
    // Numbers instead of the segments, which are garbage at once and would otherwise be moved about.
    const begins: number[] = [];
    const counted: number[] = [];
    let count = 0;
    for (const segment of segmenter.segment(text.slice(start, start + pieceSize))) {
      begins.push(segment.index);
      if (counts(segment)) count += 1;
      counted.push(count);
    }
    const sure = isLast ? begins.length : begins.length - unsure;
    total += counted[sure - 1] ?? 0;
    start += isLast ? pieceSize : (begins[sure] ?? 0);
    // A single segment may be as long as the text.
    pieceSize = sure > 0 ? pieceLength : pieceSize * 2;
  }
  return total;
}
