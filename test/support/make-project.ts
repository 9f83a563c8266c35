import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export type ProjectFiles = Readonly<Record<string, string | Uint8Array>>;

/** A folder of its own with these files, removed after the tests of the file that asked for it. */
export function makeProject(files: ProjectFiles): string {
  const folder = mkdtempSync(join(tmpdir(), "kindlm-test-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}
