import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { attempt } from "../errors/boundary.js";
import type { RedactedText } from "../redaction/redactor.js";
import { success, type Result } from "../result.js";
import { privateFile, privateFolder } from "./private-modes.js";
import { writeError } from "./store-error.js";

/** Pieces are written together until they are so long, in characters. */
const blockLength = 65_536;
/** In bytes: holds a block whose last piece is of a usual length, whatever its characters. */
const bufferBytes = 4 * blockLength;

/**
 * Writes a file piece by piece, so that it appears whole and flushed to disk, or not at all; folders above it are made.
 * Fails with STORE_WRITE_ERROR, and leaves nothing behind then. `shown` is how people know the file.
 */
export async function writeAtomically(
  path: string,
  shown: string,
  pieces: Iterable<RedactedText> | AsyncIterable<RedactedText>,
): Promise<Result<void>> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  const written = await attempt(
    async () => {
      await writeAll(await openNew(temporary), pieces);
      await rename(temporary, path);
    },
    (cause) => writeError(shown, cause),
  );
  if (!written.success)
    await attempt(
      () => rm(temporary, { force: true }),
      (cause) => writeError(shown, cause),
    );
  return written;
}

/** Mostly the folder is there already. */
async function openNew(path: string): Promise<FileHandle> {
  const opened = await attempt(
    () => open(path, "wx", privateFile),
    (cause) => writeError(path, cause),
  );
  if (opened.success) return opened.data;
  await mkdir(dirname(path), { recursive: true, mode: privateFolder });
  return open(path, "wx", privateFile);
}

async function writeAll(
  handle: FileHandle,
  pieces: Iterable<RedactedText> | AsyncIterable<RedactedText>,
): Promise<void> {
  const written = await attempt(
    () => writeBlocks(handle, pieces),
    (cause) => writeError("", cause),
  );
  await handle.close();
  if (!written.success) await Promise.reject(written.error.cause);
}

/** The next block is made while one is written. */
async function writeBlocks(
  handle: FileHandle,
  pieces: Iterable<RedactedText> | AsyncIterable<RedactedText>,
): Promise<void> {
  // A buffer for each block would stay until a full collection. Most files are a single short block.
  let [free, taken] = [Buffer.alloc(0), Buffer.alloc(0)];
  // It never rejects: nobody would be there for that while the next block is made.
  let writing: Promise<Result<void>> = Promise.resolve(success(undefined));
  const written = async (): Promise<void> => {
    const outcome = await writing;
    if (!outcome.success) await Promise.reject(outcome.error.cause);
  };
  for await (const block of Symbol.iterator in pieces ? blocksOf(pieces) : lateBlocksOf(pieces)) {
    if (free.length === 0 && block.length >= blockLength) free = Buffer.allocUnsafe(bufferBytes);
    const fits = block.length * 3 <= free.length;
    const bytes = fits ? free.subarray(0, free.write(block)) : block;
    await written();
    writing = attempt(
      () => handle.writeFile(bytes),
      (cause) => writeError("", cause),
    );
    [free, taken] = [taken, free];
  }
  await written();
  await handle.datasync();
}

/** Waiting for each of very many pieces, though they are there, would take longer than writing them. */
function* blocksOf(pieces: Iterable<RedactedText>): Iterable<string> {
  let block = "";
  for (const piece of pieces) {
    block += piece;
    if (block.length < blockLength) continue;
    yield block;
    block = "";
  }
  if (block !== "") yield block;
}

async function* lateBlocksOf(pieces: AsyncIterable<RedactedText>): AsyncIterable<string> {
  let block = "";
  for await (const piece of pieces) {
    block += piece;
    if (block.length < blockLength) continue;
    yield block;
    block = "";
  }
  if (block !== "") yield block;
}
