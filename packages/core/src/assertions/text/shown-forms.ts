import { foldText, type FoldedText, type FoldOptions } from "./folded-text.js";
import { withoutMarkup } from "./without-markup.js";

/** The forms that negative checks read in addition to the text as written: folded, and as a reader sees it. */
export function shownForms(original: string, options: FoldOptions): readonly FoldedText[] {
  const folded = foldText(original, options);
  const rendered = withoutMarkup(folded);
  return rendered === folded ? [folded] : [folded, rendered];
}
