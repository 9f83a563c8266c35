import { lineEndOf, type TextRange } from "../source/source-text.js";
import { noneMerged, type Written, type WrittenEntry } from "../source/written.js";

const space = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const quoted = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/y;
const word = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*|\d+/uy;
/** A slash after one of these begins a regular expression; elsewhere it divides. */
const pattern = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const beforePattern = /[(,=:[!&|?{};+\-*%~^<>]\s*$/;
const closing: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")" };
/** What may stand after a literal that stays what it is. */
const typeOnly = /^(?:as|satisfies)\b/;

/**
 * Where the parts of a config are written in the source of a module: those of the first object literal that has the key
 * `suites`. This is not a parser of TypeScript: what is computed has no parts, and its place is that of the expression. Null if
 * there is no such literal.
 */
export function locateLiterals(text: string): Written | null {
  const scanner = new LiteralScanner(text);
  const last = text.lastIndexOf("suites");
  for (let at = scanner.nextBrace(0); at !== -1 && at < last; at = scanner.nextBrace(at + 1)) {
    const found = scanner.objectAt(at);
    if (found !== null && isConfig(found)) return found;
  }
  return null;
}

function isConfig({ parts }: Written): boolean {
  return parts !== null && "entries" in parts && parts.entries.some(({ name }) => name === "suites");
}

class LiteralScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next brace that is neither in a string nor in a comment; -1 if there is none. */
  nextBrace(from: number): number {
    this.#at = from;
    while (this.#at < this.#text.length) {
      this.#match(space);
      if (this.#text[this.#at] === "{") return this.#at;
      if (!this.#skipAtom()) this.#at += 1;
    }
    return -1;
  }

  objectAt(at: number): Written | null {
    this.#at = at;
    const parts = this.#object();
    return parts === null ? null : { value: null, ...this.#rangeFrom(at), parts };
  }

  #value(): Written {
    this.#match(space);
    const start = this.#at;
    const opened = this.#text[start];
    let parts: Written["parts"] = null;
    if (opened === "{") parts = this.#object();
    else if (opened === "[") parts = this.#list();
    const end = this.#at;
    const range = this.#rangeFrom(start);
    this.#match(space);
    const isWhole =
      /^[,}\])]/.test(this.#text[this.#at] ?? "") || typeOnly.test(this.#text.slice(this.#at, this.#at + 10));
    if (parts === null || !isWhole) this.#at = end;
    this.#skipExpression();
    return { value: null, ...(parts === null ? this.#rangeFrom(start) : range), parts: isWhole ? parts : null };
  }

  /** Leaves the position where it was if this is not an object literal. */
  #object(): Written["parts"] {
    const start = this.#at;
    const entries: WrittenEntry[] = [];
    this.#at += 1;
    for (;;) {
      this.#match(space);
      if (this.#take("}")) return { entries, merged: noneMerged };
      const entry = this.#entry();
      this.#match(space);
      if (entry === null || (!this.#take(",") && this.#text[this.#at] !== "}")) {
        this.#at = start;
        return null;
      }
      if (entry !== "other") entries.push(entry);
    }
  }

  #entry(): WrittenEntry | "other" | null {
    const start = this.#at;
    if (this.#text.startsWith("...", start) || this.#text[start] === "[") {
      this.#skipExpression();
      return "other";
    }
    const key = this.#match(quoted) ?? this.#match(word);
    if (key === null) return null;
    const name = /^["']/.test(key) ? key.slice(1, -1) : key;
    const place = { start, end: this.#at };
    this.#match(space);
    if (this.#take(":")) return { name, ...place, item: this.#value() };
    if (!/^[,}(]/.test(this.#text[this.#at] ?? "")) return null;
    this.#skipExpression();
    return { name, ...place, item: { value: null, ...place, parts: null } };
  }

  #list(): Written["parts"] {
    const items: Written[] = [];
    let isSpread = false;
    this.#at += 1;
    for (;;) {
      this.#match(space);
      if (this.#take("]") || this.#at >= this.#text.length) return { items };
      // Behind a spread nobody knows which item it is.
      isSpread ||= this.#text.startsWith("...", this.#at);
      const item = this.#value();
      if (!isSpread) items.push(item);
      this.#match(space);
      if (!this.#take(",") && this.#text[this.#at] !== "]") this.#at += 1;
    }
  }

  /** Up to the comma or bracket that ends it. */
  #skipExpression(): void {
    while (this.#at < this.#text.length) {
      this.#match(space);
      const next = this.#text[this.#at] ?? "";
      if (/^[,}\])]/.test(next)) return;
      if (!this.#skipAtom() && !this.#skipBrackets(next)) this.#at += 1;
    }
  }

  #skipBrackets(opened: string): boolean {
    const closed = closing[opened];
    if (closed === undefined) return false;
    this.#at += 1;
    while (this.#at < this.#text.length && !this.#take(closed)) {
      this.#match(space);
      const next = this.#text[this.#at] ?? "";
      if (next !== closed && !this.#skipAtom() && !this.#skipBrackets(next)) this.#at += 1;
    }
    return true;
  }

  /** A string, a template, a regular expression or a word. */
  #skipAtom(): boolean {
    if ((this.#match(quoted) ?? this.#match(word)) !== null) return true;
    if (this.#text[this.#at] === "`") return this.#skipTemplate();
    if (this.#text[this.#at] !== "/" || !beforePattern.test(this.#text.slice(Math.max(0, this.#at - 80), this.#at)))
      return false;
    return this.#match(pattern) !== null;
  }

  #skipTemplate(): boolean {
    this.#at += 1;
    while (this.#at < this.#text.length && !this.#take("`")) {
      if (this.#text.startsWith("${", this.#at)) {
        this.#at += 1;
        this.#skipBrackets("{");
      } else this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    }
    return true;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(expression: RegExp): string | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }

  /** No more than the first line of it is ever marked. */
  #rangeFrom(start: number): TextRange {
    const end = Math.min(this.#at, lineEndOf(this.#text, start));
    return { start, end: start + this.#text.slice(start, end).trimEnd().length };
  }
}
