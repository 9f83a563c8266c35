import { unicodePattern } from "../../values/unicode-pattern.js";
import { replaceInFolded, foldText, type FoldedText, type FoldOptions } from "./folded-text.js";

/** The forms that negative checks read in addition to the text as written: folded, and as a reader sees it. */
export function shownForms(original: string, options: FoldOptions): readonly FoldedText[] {
  const folded = foldText(original, options);
  const rendered = withoutMarkup(folded);
  return rendered === folded ? [folded] : [folded, rendered];
}

/**
 * Marks of Markdown and HTML, which are not shown: an underscore within a word is not a mark. Each repetition has a limit, so
 * the time stays in line with the length of the text.
 */
const markup = unicodePattern(
  [
    String.raw`\\(?=[!-\/:-@\[-\x60{-~])`,
    String.raw`[*~\x60]+`,
    String.raw`(?<![\p{L}\p{N}_])_+|_+(?![\p{L}\p{N}_])|__+`,
    String.raw`<\/?[A-Za-z][^<>]{0,200}>|<!--[^<>]{0,200}-->`,
    String.raw`&(?:(?<space>nbsp|ensp|emsp|thinsp|#160|#xa0)|(?<nothing>shy|zwn?j|#173|#xad|#820[345]|#x200[bcd])|#(?<code>3[2-9]|[4-9]\d|1[01]\d|12[0-6]));`,
  ].join("|"),
  "giu",
);

const mayHoldMarkup = /[\\*~`_<&]/;

/** The text as it is shown once Markdown and HTML are rendered, as far as that can split a word or a number. */
function withoutMarkup(folded: FoldedText): FoldedText {
  if (!mayHoldMarkup.test(folded.text)) return folded;
  return replaceInFolded(folded, markup(), ({ groups = {} }) => {
    if (groups["space"] !== undefined) return " ";
    return groups["code"] === undefined ? "" : String.fromCodePoint(Number(groups["code"]));
  });
}
