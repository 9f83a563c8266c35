import type { RedactedText } from "./redacted-text.js";

/** So much text is kept, UTF-16 code units. */
const most = 8_388_608;

/** Strings that were masked before they are written. Each is handed out once; too many, and all are forgotten. */
export class PreparedText {
  readonly #byFormat = new Map<string, Map<string, RedactedText>>();
  #room = most;

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
    this.#room = most;
  }
}
