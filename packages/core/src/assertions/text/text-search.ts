import { unicodePattern } from "../../values/unicode-pattern.js";
import { foldText, type FoldedText } from "./folded-text.js";
import { shownForms } from "./shown-forms.js";
import { foldCase } from "./text-list.js";

type Part = "anywhere" | "start" | "whole";

/** Looks for strings in an answer. */
export interface TextSearch {
  /** Where in the answer the text is; null if it is not there. */
  find(wanted: string, part: Part): { index: number; length: number } | null;
}

interface SearchOptions {
  ignoreCase: boolean | undefined;
  /** Whether a found string counts against the trial. */
  isNegative: boolean;
}

/** A string of signs alone is about the signs: folded, an em dash would be any hyphen, and ™ the letters TM. */
const hasWord = unicodePattern(String.raw`[\p{L}\p{Nd}]`);
const unseen = unicodePattern(String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}]`, "gu");

/**
 * A positive check needs the text as it is written. A negative one also finds it in another form: an answer must not pass
 * because it writes what is forbidden with full-width letters, in bold, or with characters that nothing shows in between.
 */
export function createTextSearch(output: string, { ignoreCase = false, isNegative }: SearchOptions): TextSearch {
  const searched = foldCase(output, ignoreCase);
  const fold = { ignoreCase, joinsLines: true };
  let known: readonly FoldedText[] | null = null;
  const forms = (): readonly FoldedText[] => (known ??= shownForms(output, fold));
  return {
    find(wanted, part) {
      const at = indexIn(searched, foldCase(wanted, ignoreCase), part);
      if (at !== -1) return { index: at, length: wanted.length };
      if (!isNegative) return null;
      if (!hasWord().test(wanted)) return findSigns(output, wanted, part);
      const needle = foldText(wanted, fold).text;
      for (const form of forms()) {
        const found = indexIn(form.text, needle, part);
        if (found !== -1) return form.placeOf(found, found + needle.length);
      }
      return null;
    },
  };
}

function findSigns(output: string, wanted: string, part: Part): { index: number; length: number } | null {
  const needle = wanted.replaceAll(unseen(), "");
  if (needle === "" || indexIn(output.replaceAll(unseen(), ""), needle, part) === -1) return null;
  return { index: 0, length: Math.min(output.length, 60) };
}

function indexIn(text: string, wanted: string, part: Part): number {
  if (part === "anywhere") return text.indexOf(wanted);
  return (part === "start" ? text.startsWith(wanted) : text === wanted) ? 0 : -1;
}
