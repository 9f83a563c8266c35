/** A word of a line of bash, up to where it was typed. */
export interface BashWord {
  value: string;
  /** As it is typed. */
  raw: string;
  /** The quote that is still open. */
  quote: "" | "'" | '"';
}

/** The words of a line, the last of which may not be finished; an empty one after a space. */
export function wordsOfLine(line: string): readonly BashWord[] {
  const words: BashWord[] = [];
  let word: BashWord | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? "";
    if (word === null) {
      if (/\s/.test(character)) continue;
      word = { value: "", raw: "", quote: "" };
      words.push(word);
    }
    if (word.quote === "" && /\s/.test(character)) {
      word = null;
      continue;
    }
    word.raw += character;
    if (character === word.quote) word.quote = "";
    else if (word.quote === "" && (character === "'" || character === '"')) word.quote = character;
    else if (character === "\\" && word.quote !== "'") {
      const next = line[at + 1] ?? "";
      const isKept = word.quote === '"' && !/["\\$`]/.test(next);
      word.value += isKept ? `\\${next}` : next;
      word.raw += next;
      at += 1;
    } else word.value += character;
  }
  return word === null ? [...words, { value: "", raw: "", quote: "" }] : words;
}

/**
 * A candidate as bash inserts it: in the quotes that are open, and without the part of the word that bash leaves as it
 * is, because it breaks words at `:`, `=` and `@`.
 *
 * @param replaced - the end of the typed word, which bash replaces
 */
export function inBash(text: string, { raw, quote }: BashWord, replaced: string): string {
  const isOwnQuote = quote !== "" && raw.startsWith(quote) && replaced === raw.slice(1);
  const kept = isOwnQuote ? "" : (wordsOfLine(raw.slice(0, Math.max(0, raw.length - replaced.length)))[0]?.value ?? "");
  const rest = text.slice(text.startsWith(kept) ? kept.length : 0);
  if (quote === "'") return rest.replaceAll("'", String.raw`'\''`);
  if (quote === '"') return rest.replaceAll(/["\\$`]/g, String.raw`\$&`);
  return rest.replaceAll(/[^\p{L}\p{N}_@%+:,./=-]/gu, String.raw`\$&`);
}
