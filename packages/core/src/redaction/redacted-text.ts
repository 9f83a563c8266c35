/** Text that has passed a redactor. Whatever writes to a stream or to a file takes nothing else. */
export type RedactedText = string & { readonly "passed a redactor": true };

/** Joins strings that have passed a redactor. Besides them, only numbers and literals can be inserted. */
export function redacted(code: TemplateStringsArray, ...texts: readonly (RedactedText | number)[]): RedactedText {
  return passed(String.raw({ raw: code }, ...texts));
}

/** What must be written as it is: the tokens in the one file that keeps them. */
export function unmasked(text: string): RedactedText {
  return passed(text);
}

/** For redactors. */
export function passed(text: string): RedactedText {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where a string gets the mark of having passed
  return text as RedactedText;
}

/** So much text is kept that was masked ahead, UTF-16 code units. */
const mostPrepared = 8_388_608;

/** Strings that were masked before they are written. Each is handed out once; too many, and all are forgotten. */
export class PreparedText {
  readonly #byFormat = new Map<string, Map<string, RedactedText>>();
  #room = mostPrepared;

  put(text: string, format: string, masked: RedactedText): void {
    if (text.length > this.#room) this.clear();
    const texts = this.#byFormat.get(format) ?? new Map<string, RedactedText>();
    this.#byFormat.set(format, texts.set(text, masked));
    this.#room -= text.length;
  }

  /** Undefined for a string that is to be masked now. */
  take(text: string, format: string): RedactedText | undefined {
    const texts = this.#byFormat.get(format);
    const masked = texts?.get(text);
    if (masked === undefined) return undefined;
    texts?.delete(text);
    this.#room += text.length;
    return masked;
  }

  clear(): void {
    this.#byFormat.clear();
    this.#room = mostPrepared;
  }
}
