import { preview } from "../../values/preview.js";
import { commonEnds } from "./common-ends.js";
import { plainText } from "./plain-text.js";
import { splitCharacters, splitWords, type Word } from "./split-words.js";

const shownLength = 60;

/**
 * The first difference between two strings, as a clause: `from word 3 on it says "shipped", not "delivered"`. `ignoresCase` as it was
 * compared; only words count, punctuation and spaces do not unless they are all there is.
 */
export function describeDifference(reference: string, answer: string, ignoresCase: boolean): string {
  const texts = [plainText(reference), plainText(answer)] as const;
  if (texts[1] === "") return "the answer is empty";
  const words = texts.map(splitWords);
  const isSame = isSameBy(ignoresCase);
  const isToldByWords = words.every((list) => list.length > 0) && !areSame(words, isSame);
  const [wanted = [], given = []] = isToldByWords ? words : texts.map(splitCharacters);
  if (areSame([wanted, given], isSame)) return "it differs in whitespace alone";
  const { prefix, suffix } = commonEnds(wanted.length, given.length, (a, b) => isSame(wanted[a], given[b]));
  const [missing, added] = [excerpt(texts[0], wanted, prefix, suffix), excerpt(texts[1], given, prefix, suffix)];
  const place = prefix === 0 ? "it" : `from ${isToldByWords ? "word" : "character"} ${prefix + 1} on it`;
  if (added === null) return `${place} lacks ${preview(missing ?? "", shownLength)}`;
  if (missing === null) return `${place} adds ${preview(added, shownLength)}`;
  return `${place} says ${preview(added, shownLength)}, not ${preview(missing, shownLength)}`;
}

type IsSame = (a: Word | undefined, b: Word | undefined) => boolean;

function isSameBy(ignoresCase: boolean): IsSame {
  const fold = (word: Word | undefined): string | undefined => (ignoresCase ? word?.text.toLowerCase() : word?.text);
  return (a, b) => fold(a) === fold(b);
}

function areSame([first = [], second = []]: readonly (readonly Word[])[], isSame: IsSame): boolean {
  return first.length === second.length && first.every((word, index) => isSame(word, second[index]));
}

/** The text from the first word that is not in both to the last one; null where there is none. */
function excerpt(text: string, words: readonly Word[], prefix: number, suffix: number): string | null {
  const first = words[prefix];
  const last = words[words.length - 1 - suffix];
  return first === undefined || last === undefined || last.start < first.start
    ? null
    : text.slice(first.start, last.end);
}
