import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import { compareTrees } from "./compare-trees.js";
import { readTree } from "./tree.js";

/** What is recorded of a folder in which these files were written; it was empty at first. */
async function recordOf(files: Readonly<Record<string, string>>) {
  const root = path.join(makeProject({}), "workspace");
  mkdirSync(root);
  const before = await readTree(root);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text);
  return compareTrees(root, before, { folder: null, files: {} });
}

function manyFiles(count: number, text: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, file) => [`${String(file).padStart(4, "0")}.txt`, text]));
}

describe("what a record of a workspace holds", () => {
  it("has texts and diffs of 1 MiB in all, of the first paths, however many files are read at a time", async () => {
    const record = await recordOf(manyFiles(40, "x".repeat(60_000)));
    const shown = record.changes.filter(({ content }) => content !== undefined);
    expect(shown.map(({ path: place }) => place)).toEqual(record.changes.slice(0, 17).map(({ path: place }) => place));
    expect(record.changes.slice(17).map(({ kind }) => kind)).toEqual(Array.from({ length: 23 }, () => "large"));
    expect(JSON.stringify(record).length).toBeLessThan(1_100_000);
  });

  it("cuts long lines of diffs, and says so", async () => {
    const { changes } = await recordOf({ "a.txt": `${"y".repeat(10_000)}\nshort\n` });
    expect(changes[0]?.diff).toBe(`@@ -0,0 +1,2 @@\n+${"y".repeat(499)}…\n+short\n`);
  });

  it("says that there were more changes than 1,000", async () => {
    const record = await recordOf(manyFiles(1_001, ""));
    expect(record.truncated).toBe(true);
    expect(record.changes).toHaveLength(1_000);
    expect((await recordOf(manyFiles(1_000, ""))).truncated).toBeUndefined();
  });
});
