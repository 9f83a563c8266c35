import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeProject } from "../../../../core/src/__fixtures__/make-project.js";
import { FileWatcher, type Places } from "./file-watcher.js";

/** A watcher of a project, and the changes that it has reported. */
async function watching(files: Readonly<Record<string, string>>, placesOf: (root: string) => Places) {
  const root = makeProject(files);
  const heard = new Set<string>();
  let wake: () => void = () => {};
  const watcher = new FileWatcher({
    root,
    onChange: (path) => {
      heard.add(path.slice(root.length + 1));
      wake();
    },
    onProblem: (folder, reason) => heard.add(`${folder}: ${reason}`),
  });
  onTestFinished(() => watcher.close());
  const update = (): Promise<boolean> => watcher.update(placesOf(root));
  expect(await update()).toBe(true);
  return {
    root,
    heard,
    update,
    write: (file: string, text = "new") => writeFileSync(join(root, file), text),
    async hears(path: string): Promise<void> {
      while (!heard.has(path)) await new Promise<void>((resolve) => (wake = resolve));
      heard.clear();
    },
  };
}

const fileIn =
  (...names: readonly string[]) =>
  (root: string): Places =>
    new Map(names.map((name) => [join(root, name), "file"] as const));

it("notices a file that is written, replaced, removed, and made again, and no other", async () => {
  const { root, heard, hears, update, write } = await watching({ "a.md": "" }, fileIn("a.md"));
  write("a.md.tmp");
  write("other.md");
  write("a.md");
  await hears("a.md");
  expect(await update()).toBe(false);
  renameSync(join(root, "a.md.tmp"), join(root, "a.md"));
  await hears("a.md");
  rmSync(join(root, "a.md"));
  await hears("a.md");
  write("other.md", "again");
  write("a.md");
  await hears("a.md");
  expect(heard).not.toContain("other.md");
});

it("notices a folder that is made later, and one that takes its place", async () => {
  const { root, hears, update, write } = await watching({}, fileIn("deep/er/a.md"));
  mkdirSync(join(root, "deep", "er"), { recursive: true });
  await hears("deep");
  expect(await update()).toBe(true);
  write("deep/er/a.md");
  await hears("deep/er/a.md");
  renameSync(join(root, "deep"), join(root, "old"));
  mkdirSync(join(root, "deep", "er"), { recursive: true });
  await hears("deep");
  expect(await update()).toBe(true);
  write("deep/er/a.md", "other");
  await hears("deep/er/a.md");
});

it("notices any file below a folder, except what editors and tools leave there", async () => {
  const below = (root: string): Places => new Map([[join(root, "src"), "below"]]);
  const { root, heard, hears, update, write } = await watching({ "src/in/a.ts": "", "src/b.ts": "" }, below);
  for (const name of ["src/.a.ts.swp", "src/a.ts~", "src/4913", "src/.#a.ts"]) write(name);
  mkdirSync(join(root, "src", "node_modules"));
  write("src/in/a.ts");
  await hears("src/in/a.ts");
  mkdirSync(join(root, "src", "new"));
  await hears("src/new");
  expect(await update()).toBe(true);
  write("src/new/c.ts");
  await hears("src/new/c.ts");
  expect([...heard]).toEqual([]);
});

it("notices that what a link leads to changes", async () => {
  const elsewhere = makeProject({ "real.md": "" });
  const root = makeProject({});
  symlinkSync(join(elsewhere, "real.md"), join(root, "link.md"));
  const changes: string[] = [];
  let wake: () => void = () => {};
  const watcher = new FileWatcher({
    root,
    onChange: (path) => {
      changes.push(path);
      wake();
    },
    onProblem: () => {},
  });
  onTestFinished(() => watcher.close());
  await watcher.update(new Map([[join(root, "link.md"), "file"]]));
  const heard = new Promise<void>((resolve) => (wake = resolve));
  writeFileSync(join(elsewhere, "real.md"), "new");
  await heard;
  expect(changes[0]?.endsWith("real.md")).toBe(true);
});
