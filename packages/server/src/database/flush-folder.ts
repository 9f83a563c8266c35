import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** As many as Node works on at a time. A disk writes what is flushed at the same time together. */
const atOnce = 4;

/** Flushes all files of a folder to the disk, and the names that they have. */
export async function flushAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const pathsOf = (isWanted: (entry: (typeof entries)[number]) => boolean): string[] =>
    entries.filter(isWanted).map((entry) => join(entry.parentPath, entry.name));
  const left = pathsOf((entry) => entry.isFile()).values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      // Each takes the next file that nobody has taken.
      for (const path of left) await flush(path, "r+");
    }),
  );
  for (const path of [...pathsOf((entry) => entry.isDirectory()), folder]) await flushFolder(path);
}

/** Flushes the names in a folder, where the system opens folders. Windows does not, and writes names at once. */
export async function flushFolder(folder: string): Promise<void> {
  try {
    await flush(folder, "r");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "EPERM" || error.code === "EISDIR")))
      throw error;
  }
}

async function flush(path: string, flags: "r" | "r+"): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
