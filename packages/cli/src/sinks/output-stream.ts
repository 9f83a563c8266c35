import type { TextFormat } from "@kindlm/core";
import type { KeptLines } from "../terminal/screen.js";

/** A stream that people or programs read. Whatever is written to it passes the redactor. */
export interface OutputStream {
  readonly isTerminal: boolean;
  /** Whether another program reads it. */
  readonly isPipe: boolean;
  /** Columns of the terminal as it is now; undefined when it is none. */
  columns(): number | undefined;
  /** Rows of the terminal as it is now; undefined when it is none. */
  rows(): number | undefined;
  /**
   * Resolves when the stream took the text, with null or with the reason if it did not. A reader that went away is not a failure:
   * what it did not want to read is dropped.
   *
   * @param text - plain text may come in any pieces: a line that is not whole yet waits for its end. JSON and markup
   *   come in whole lines
   * @param format - default `text`
   */
  write(text: string, format?: TextFormat): Promise<string | null>;
  /**
   * Writes whole lines of text, and keeps others at the end of the terminal, below whatever else is written, in place of
   * those before; null for none. Resolves when the terminal took them. Never fails. Only a terminal keeps lines.
   */
  draw(above: string, kept: KeptLines | null): Promise<void>;
  /** Calls back when the terminal gets another size, until the returned function is called. */
  onResize(callback: () => void): () => void;
}
