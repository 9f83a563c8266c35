import { attempt, writeAtomically, writeError } from "@kindlm/core/program";
import type { RedactedText, Redactor, Result, TextFormat } from "@kindlm/core";
import { mkdir, realpath, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createLineGuard } from "./create-line-guard.js";
import { openLineFile, type LineFile } from "./line-file.js";
import { openPipe } from "./open-pipe.js";

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

/**
 * Writes a file whole or not at all, with the folders above it. Anything there other than a file, such as a pipe or
 * `/dev/stderr`, is written into instead of being replaced, and a link stays one. `path` is absolute, `shown` is how
 * people know it.
 */
async function writeTextFile(path: string, shown: string, pieces: AsyncIterable<RedactedText>): Promise<Result<void>> {
  const target = await realpath(path).catch(() => path);
  const present = await stat(target).catch(() => null);
  if (present === null || present.isFile() || present.isDirectory()) return writeAtomically(target, shown, pieces);
  return attempt(
    async () => (present.isFIFO() ? pipeline(pieces, await openPipe(target)) : writeFile(target, pieces)),
    (cause) => writeError(shown, cause),
  );
}

/** Writes a file that is not there yet; rejects when it is. */
async function createTextFile(path: string, text: RedactedText): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: "wx" });
}
