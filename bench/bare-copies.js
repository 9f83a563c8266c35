// The floor of the figure of workspaces: copies a folder, changes a file and removes the copy.
// Arguments: the folder, number of copies, how many at a time.
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [folder, count, concurrency] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
let made = 0;

async function worker() {
  while (made < count) {
    made += 1;
    const parent = await mkdtemp(join(tmpdir(), "kindlm-bare-copy-"));
    await cp(folder, join(parent, "copy"), { recursive: true });
    await writeFile(join(parent, "copy", "folder-0", "file-0.js"), "export const changed = true;\n");
    await rm(parent, { recursive: true });
  }
}
await Promise.all(Array.from({ length: concurrency }, worker));
