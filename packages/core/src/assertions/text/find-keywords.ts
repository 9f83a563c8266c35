import { unicodePattern } from "../../values/unicode-pattern.js";

const wordCharacter = unicodePattern(String.raw`[\p{L}\p{N}\p{M}]`);

/**
 * The keywords that stand in a text as whole words: neither end that is a letter or digit touches another one. Case,
 * the width of white space, typographic apostrophes and the form of composed letters do not count.
 */
export function findKeywords(text: string, keywords: readonly string[]): readonly string[] {
  const folded = foldWords(text);
  return keywords.filter((keyword) => holdsWord(folded, foldWords(keyword)));
}

function foldWords(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\u2018\u2019\u02bc]/g, "'")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function holdsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    const startsWord = !(isWordCharacter(word, 0) && isWordCharacter(text, previousIndex(text, at)));
    const endsWord = !(isWordCharacter(word, previousIndex(word, word.length)) && isWordCharacter(text, end));
    if (startsWord && endsWord) return true;
  }
  return false;
}

function isWordCharacter(text: string, index: number): boolean {
  const point = text.codePointAt(index);
  return point !== undefined && wordCharacter().test(String.fromCodePoint(point));
}

/** Where the code point before `index` starts; -1 at the start of the text. */
function previousIndex(text: string, index: number): number {
  const unit = text.charCodeAt(index - 1);
  const isTrail = unit >= 0xdc00 && unit <= 0xdfff;
  return isTrail && index >= 2 ? index - 2 : index - 1;
}
