// oxlint-disable-next-line typescript/triple-slash-reference -- the module has no types of its own, and tests are checked without the folder
/// <reference path="./write-file-atomic.d.ts" />
import { attempt, kindlmError, messageOf, type RedactedText, type Result } from "@kindlm/core";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file whole or not at all, with the folders above it. What stands there and is no file, such as a pipe or
 * `/dev/stderr`, is written into instead of being replaced. `path` is absolute, `shown` is how people know it.
 */
export function writeTextFile(path: string, shown: string, text: RedactedText): Promise<Result<void>> {
  return attempt(
    async () => {
      await mkdir(dirname(path), { recursive: true });
      if (await isDevice(path)) return writeFile(path, text);
      const { default: writeFileAtomic } = await import("write-file-atomic");
      await writeFileAtomic(path, text);
    },
    (cause) => {
      const systemCode =
        cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : null;
      const details = systemCode === null ? { path: shown } : { path: shown, systemCode };
      return kindlmError("STORE_WRITE_ERROR", `Can not write ${shown}: ${messageOf(cause)}`, { details, cause });
    },
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
