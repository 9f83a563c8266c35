import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterFile } from "./clean-up.js";

export type ProjectFiles = Readonly<Record<string, string | Uint8Array>>;

/** A folder of its own with these files, removed after the tests of the file that asked for it. */
export function makeProject(files: ProjectFiles): string {
  const folder = mkdtempSync(join(tmpdir(), "kindlm-test-"));
  afterFile(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}
