import { attempt, writeAtomically, writeError, type RedactedText, type Result } from "@kindlm/core";
import { mkdir, realpath, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

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
  if (!(await isDevice(target))) return writeAtomically(target, shown, pieces);
  return attempt(
    () => writeFile(target, pieces),
    (cause) => writeError(shown, cause),
  );
}

/** Writes a file that is not there yet; rejects when it is. */
export async function createTextFile(path: string, text: RedactedText): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: "wx" });
}

async function isDevice(path: string): Promise<boolean> {
  const present = await stat(path).catch(() => null);
  return present !== null && !present.isFile() && !present.isDirectory();
}
