import type { RedactedText, Redactor, Result, TextFormat } from "@kindlm/core";
import { openLineFile, type LineFile } from "./line-file.js";
import { createTextFile, writeTextFile } from "./write-text-file.js";

/** The only way in which the command line writes files. Everything passes the redactor. Paths are absolute. */
export interface FileSinks {
  /** Writes a file whole or not at all. `shown` is the path as people know it; STORE_WRITE_ERROR when it can not. */
  write(path: string, shown: string, text: string, format: TextFormat): Promise<Result<void>>;
  /** Writes a file that is not there yet; rejects when it is. */
  create(path: string, text: string): Promise<void>;
  /** A file that grows by lines of JSON. */
  openLines(path: string): LineFile;
}

export function createFileSinks(redactor: Redactor): FileSinks {
  const masked: { [F in TextFormat]: (text: string) => RedactedText } = {
    text: redactor.redact,
    json: redactor.redactJson,
    markup: redactor.redactMarkup,
  };
  return {
    write: (path, shown, text, format) => writeTextFile(path, shown, masked[format](text)),
    create: (path, text) => createTextFile(path, redactor.redact(text)),
    openLines: (path) => openLineFile(path, redactor),
  };
}
