import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { attempt } from "../errors/boundary.js";
import type { Result } from "../result.js";
import { writeError } from "./store-error.js";

/** Pieces are written together until they are so long, in characters. */
const blockLength = 65_536;

/**
 * Writes a file piece by piece, so that it appears whole and flushed to disk, or not at all; folders above it are made.
 * Fails with STORE_WRITE_ERROR, and leaves nothing behind then. `shown` is how people know the file.
 */
export async function writeAtomically(
  path: string,
  shown: string,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<Result<void>> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  const written = await attempt(
    async () => {
      await mkdir(dirname(path), { recursive: true });
      await writeAll(temporary, pieces);
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

/** The stream flushes before it closes, and closes whatever happens. */
async function writeAll(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  await pipeline(Readable.from(inBlocks(pieces)), createWriteStream(path, { flags: "wx", flush: true }));
}

async function* inBlocks(pieces: Iterable<string> | AsyncIterable<string>): AsyncIterable<string> {
  let block = "";
  for await (const piece of pieces) {
    block += piece;
    if (block.length < blockLength) continue;
    yield block;
    block = "";
  }
  if (block !== "") yield block;
}
