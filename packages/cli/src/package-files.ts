import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

/** Reads a file that is next to the code of this package, such as a template. */
export function readPackageFile(name: string): Promise<string> {
  return readFile(join(packageFolder(), name), "utf8");
}

/** The names of all files in a folder of this package and below, relative to it, in order. */
export async function listPackageFiles(folder: string): Promise<readonly string[]> {
  const place = join(packageFolder(), folder);
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(place, join(entry.parentPath, entry.name)).replaceAll("\\", "/")).toSorted();
}

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("@kindlm/cli/package.json"));
}
