import { normalizeText } from "../../values/normalize-text.js";
import { unicodePattern } from "../../values/unicode-pattern.js";
import { foldText } from "./folded-text.js";
import { shownForms } from "./shown-forms.js";
import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { textList } from "./text-list.js";

const wordCharacter = unicodePattern(String.raw`[\p{L}\p{N}\p{M}]`);

/**
 * The keywords that occur as whole words: neither end that is a letter or digit touches another one. Case, the
 * width of whitespace, typographic apostrophes and the form of composed letters do not count.
 *
 * A negative check also finds them in other forms of the text, and within scripts that put no spaces between words.
 */
export function findKeywords(text: string, keywords: readonly string[], isNegative: boolean): readonly string[] {
  const folded = foldWords(text);
  const isWritten = (keyword: string): boolean => holdsWord(folded, foldWords(keyword), isWordCharacter);
  if (!isNegative) return keywords.filter(isWritten);
  const options = { ignoreCase: true, joinsLines: true };
  const forms = shownForms(text, options);
  return keywords.filter((keyword) => {
    if (isWritten(keyword)) return true;
    const word = foldText(keyword, options).text.trim();
    return word !== "" && forms.some((form) => holdsWord(form.text, word, isOneWord));
  });
}

function foldWords(text: string): string {
  return normalizeText(text, "NFC")
    .toLowerCase()
    .replaceAll(/[\u2018\u2019\u02bc]/g, "'")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Whether a character at the end of a keyword and the one next to it can be parts of one word. */
type Joins = (edge: string, neighbor: string) => boolean;

function holdsWord(text: string, word: string, joins: Joins): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const startsWord = !joins(characterAt(word, 0), characterAt(text, previousIndex(text, at)));
    const endsWord = !joins(characterAt(word, previousIndex(word, word.length)), characterAt(text, at + word.length));
    if (startsWord && endsWord) return true;
  }
  return false;
}

function isWordCharacter(edge: string, neighbor: string): boolean {
  return wordCharacter().test(edge) && wordCharacter().test(neighbor);
}

const unspaced = unicodePattern(
  String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`,
);
const katakana = unicodePattern(String.raw`[\p{Script=Katakana}\u30fc]`);
const mark = unicodePattern(String.raw`\p{M}`);

/**
 * Chinese, Japanese and Thai words touch each other. A word in katakana is a run of katakana, so アイス is not in アイスランド,
 * and a mark belongs to the letter before it.
 */
function isOneWord(edge: string, neighbor: string): boolean {
  if (!isWordCharacter(edge, neighbor)) return false;
  if (mark().test(neighbor)) return true;
  if (katakana().test(edge) || katakana().test(neighbor)) return katakana().test(edge) && katakana().test(neighbor);
  return !unspaced().test(edge) && !unspaced().test(neighbor);
}

function characterAt(text: string, index: number): string {
  const point = text.codePointAt(index);
  return point === undefined ? "" : String.fromCodePoint(point);
}

/** Where the code point before `index` starts; -1 at the start of the text. */
function previousIndex(text: string, index: number): number {
  const unit = text.charCodeAt(index - 1);
  const isTrail = unit >= 0xdc00 && unit <= 0xdfff;
  return isTrail && index >= 2 ? index - 2 : index - 1;
}

/** The options of the two keyword assertions. */
export function keywordOptions(valueDescription: string, requireDescription: string) {
  const value = textList(valueDescription).refine((words) => words.every((word) => word.trim() !== ""), {
    error: "A keyword must not be blank",
  });
  return strictObject({
    value: value.describe(valueDescription),
    require: z.enum(["all", "any"]).default("all").describe(requireDescription),
  });
}

export function listKeywords(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(", ");
}
