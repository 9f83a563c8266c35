import { hashText } from "../../values/random.js";

/** Few enough to be quick, many enough for the words of an answer to keep apart. */
const dimensions = 256;

/**
 * A vector without a model: how often each word occurs, at a place that follows from the word. Strings
 * with the same words have the same vector; strings with no word in common are roughly at right angles. It knows
 * nothing of meaning.
 */
export function embedWords(text: string): readonly number[] {
  const words =
    text
      .toLowerCase()
      .normalize("NFC")
      .match(/[\p{L}\p{M}\p{N}]+/gu) ??
    text.match(/\S/gu) ??
    [];
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of words) {
    const place = hashText(word) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
