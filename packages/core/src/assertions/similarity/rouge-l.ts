import { failure, success, type Result } from "../../result.js";
import { commonEnds } from "./common-ends.js";
import { lengthProblem } from "./comparison-limit.js";
import { lcsLength } from "./lcs-length.js";
import { plainText } from "./plain-text.js";
import { splitCharacters, splitWords } from "./split-words.js";

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
