import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** How many packages there are, and their size, the small ones included that npm puts into others. */
export async function weigh(modules) {
  let bytes = 0;
  let count = 0;
  for (const entry of await readdir(modules, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    bytes += (await stat(path)).size;
    if (/node_modules\/(@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(path.replaceAll("\\", "/"))) count += 1;
  }
  return { packages: count, mebibytes: bytes / 1024 / 1024 };
}
