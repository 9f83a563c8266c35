import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** Every file of a folder that is not one of `given`, by its path, with its content. */
export function writtenFiles(folder: string, given: readonly string[]): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => statSync(join(folder, path)).isFile() && !given.includes(path));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}
