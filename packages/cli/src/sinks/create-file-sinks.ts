import type { RedactedText, Redactor, Result, TextFormat } from "@kindlm/core";
import { createLineGuard } from "./create-line-guard.js";
import { openLineFile, type LineFile } from "./line-file.js";
import { createTextFile, writeTextFile } from "./write-text-file.js";

/** The only way in which the command line writes files. Everything passes the redactor. Paths are absolute. */
export interface FileSinks {
  /**
   * Writes a file whole or not at all, from text in any pieces, or from JSON or markup in whole lines. `shown` is the
   * path as people know it; STORE_WRITE_ERROR when it cannot be written, or when the pieces fail.
   */
  write(path: string, shown: string, pieces: AsyncIterable<string>, format: TextFormat): Promise<Result<void>>;
  /** Writes a file that is not there yet; rejects when it is. */
  create(path: string, text: string): Promise<void>;
  /** A file that grows by lines of JSON. */
  openLines(path: string): LineFile;
}

export function createFileSinks(redactor: Redactor): FileSinks {
  return {
    write: (path, shown, pieces, format) => writeTextFile(path, shown, guarded(pieces, format, redactor)),
    create: (path, text) => createTextFile(path, redactor.redact(text)),
    openLines: (path) => openLineFile(path, redactor),
  };
}

async function* guarded(
  pieces: AsyncIterable<string>,
  format: TextFormat,
  redactor: Redactor,
): AsyncIterable<RedactedText> {
  const guard = createLineGuard(redactor.toSink);
  for await (const piece of pieces) yield* guard.take(piece, format);
  yield* guard.rest();
}
