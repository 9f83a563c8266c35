import { attempt, writeAtomically, writeError, type RedactedText, type Result } from "@kindlm/core";
import { mkdir, realpath, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { openPipe } from "./open-pipe.js";

/**
 * Writes a file whole or not at all, with the folders above it. What stands there and is no file, such as a pipe or
 * `/dev/stderr`, is written into instead of being replaced, and a link stays one. `path` is absolute, `shown` is how
 * people know it.
 */
export async function writeTextFile(
  path: string,
  shown: string,
  pieces: AsyncIterable<RedactedText>,
): Promise<Result<void>> {
  const target = await realpath(path).catch(() => path);
  const present = await stat(target).catch(() => null);
  if (present === null || present.isFile() || present.isDirectory()) return writeAtomically(target, shown, pieces);
  return attempt(
    async () => (present.isFIFO() ? pipeline(pieces, await openPipe(target)) : writeFile(target, pieces)),
    (cause) => writeError(shown, cause),
  );
}

/** Writes a file that is not there yet; rejects when it is. */
export async function createTextFile(path: string, text: RedactedText): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: "wx" });
}
