import { linkSync, mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import { Boundary, type Located } from "./boundary.js";

let root = "";
let outside = "";
let boundary: Boundary;

beforeEach(() => {
  outside = makeProject({ "a.txt": "theirs" });
  root = makeProject({ "dir/a.txt": "own" });
  boundary = new Boundary(root, root);
});

async function locate(place: string): Promise<Located> {
  const located = await boundary.locate(place, "write");
  if (!located.success) throw new Error(located.error.message);
  return located.data;
}

/** Somebody puts a link to a folder outside in place of a folder, after the path was checked. */
function swapFolder(): void {
  renameSync(path.join(root, "dir"), path.join(root, "moved"));
  symlinkSync(outside, path.join(root, "dir"));
}

it.each([
  ["read", (located: Located) => boundary.read(located, 100)],
  ["written", (located: Located) => boundary.write(located, "mine")],
  ["removed", (located: Located) => boundary.remove(located)],
])("a file is not %s through a link that is put there after its path was checked", async (_name, act) => {
  const located = await locate("dir/a.txt");
  swapFolder();
  const done = await act(located);
  expect(done).toMatchObject({ success: false, error: { kind: "failed" } });
  expect(readdirSync(outside)).toEqual(["a.txt"]);
  expect(readFileSync(path.join(outside, "a.txt"), "utf8")).toBe("theirs");
});

it("a new file is not made in a folder that became a link", async () => {
  const located = await locate("dir/new/b.txt");
  swapFolder();
  mkdirSync(path.join(outside, "new"));
  expect(await boundary.write(located, "mine")).toMatchObject({ success: false });
  expect(readdirSync(path.join(outside, "new"))).toEqual([]);
});

it("a link in place of the file itself is replaced, not followed", async () => {
  const located = await locate("dir/a.txt");
  renameSync(path.join(root, "dir", "a.txt"), path.join(root, "old.txt"));
  symlinkSync(path.join(outside, "a.txt"), path.join(root, "dir", "a.txt"));
  expect(await boundary.read(located, 100)).toMatchObject({ success: false, error: { kind: "failed" } });
  expect(await boundary.write(located, "mine")).toMatchObject({ success: true });
  expect(readFileSync(path.join(outside, "a.txt"), "utf8")).toBe("theirs");
  expect(readFileSync(path.join(root, "dir", "a.txt"), "utf8")).toBe("mine");
});

it("a hard link to a file outside is broken, not written through", async () => {
  linkSync(path.join(outside, "a.txt"), path.join(root, "same.txt"));
  expect(await boundary.write(await locate("same.txt"), "mine")).toMatchObject({ success: true });
  expect(readFileSync(path.join(outside, "a.txt"), "utf8")).toBe("theirs");
  expect(readdirSync(root).toSorted()).toEqual(["dir", "same.txt"]);
});
