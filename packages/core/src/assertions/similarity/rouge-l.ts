import { failure, success, type Result } from "../../result.js";
import { commonEnds } from "./common-ends.js";
import { lengthProblem } from "./comparison-limit.js";
import { plainText } from "./plain-text.js";
import { splitCharacters, splitWords } from "./split-words.js";

const wordBits = 32;

/**
 * ROUGE-L of an answer: twice the words of the longest common subsequence, divided by the words of both strings, which is
 * F1 of its precision and recall. From 0 to 1; 1 for the same words in the same order. If one string has no words,
 * such as "👍", characters take their place. Fails with the reason if the strings cannot be compared.
 *
 * Source: C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004, section 3.1 (sentence level, the
 * whole text as one sentence, β = 1, no stemming).
 */
export function rougeL(reference: string, answer: string, ignoresCase: boolean): Result<number, string> {
  const [wanted, given] = wordsOf(plainText(reference), plainText(answer), ignoresCase);
  const total = wanted.length + given.length;
  if (total === 0) return success(1);
  const { prefix, suffix } = commonEnds(wanted.length, given.length, (a, b) => wanted[a] === given[b]);
  const middles = [wanted, given].map((words) => words.slice(prefix, words.length - suffix));
  const [first = [], second = []] = middles;
  const problem = lengthProblem(first.length, second.length, "words");
  if (problem !== null) return failure(problem);
  const ids = new Map<string, number>();
  const [firstIds, secondIds] = [toIds(first, ids), toIds(second, ids)];
  const common = prefix + suffix + lcsLength(firstIds, secondIds, ids.size);
  return success((2 * common) / total);
}

function wordsOf(reference: string, answer: string, ignoresCase: boolean): [readonly string[], readonly string[]] {
  const texts = [reference, answer].map((text) => (ignoresCase ? text.toLowerCase() : text));
  const [wanted = [], given = []] = texts.map(splitWords);
  const isWordless = wanted.length === 0 || given.length === 0;
  const [first = [], second = []] = isWordless ? texts.map(splitCharacters) : [wanted, given];
  return [first.map(({ text }) => text), second.map(({ text }) => text)];
}

function toIds(words: readonly string[], ids: Map<string, number>): Uint32Array {
  return Uint32Array.from(words, (word) => {
    const known = ids.get(word);
    if (known !== undefined) return known;
    const id = ids.size;
    ids.set(word, id);
    return id;
  });
}

/**
 * The length of the longest common subsequence of two sequences of ids, each below `distinct`.
 *
 * Bit-parallel: 32 cells of the table at a time, column of words by column of words, so that memory grows with the
 * sequences and not with their product. Source: H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004.
 */
export function lcsLength(first: Uint32Array, second: Uint32Array, distinct: number): number {
  const masks = new Int32Array(distinct);
  // What the addition within one column carries over to the next one, row by row.
  const carries = new Uint8Array(second.length);
  let length = 0;
  for (let from = 0; from < first.length; from += wordBits) {
    const count = Math.min(wordBits, first.length - from);
    const column = first.subarray(from, from + count);
    column.forEach((id, bit) => {
      masks[id] = (masks[id] ?? 0) | (1 << bit);
    });
    length += zerosOf(columnOf(second, masks, carries), count);
    for (const id of column) masks[id] = 0;
  }
  return length;
}

/** The last state of a column: each bit of it that is 0 is one more element in common. */
function columnOf(second: Uint32Array, masks: Int32Array, carries: Uint8Array): number {
  let state = -1;
  for (let row = 0; row < second.length; row += 1) {
    const mask = masks[second[row] ?? 0] ?? 0;
    const matching = state & mask;
    const sum = (state >>> 0) + (matching >>> 0) + (carries[row] ?? 0);
    carries[row] = sum > 0xff_ff_ff_ff ? 1 : 0;
    state = sum | (state & ~mask);
  }
  return state;
}

function zerosOf(state: number, count: number): number {
  let zeros = 0;
  for (let bit = 0; bit < count; bit += 1) if ((state & (1 << bit)) === 0) zeros += 1;
  return zeros;
}
