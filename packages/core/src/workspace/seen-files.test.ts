import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import { Boundary } from "./boundary.js";
import { SeenFiles } from "./seen-files.js";

it("gives each difference from what the agent knows once", async () => {
  const root = makeProject({ "a.txt": "one", "b.txt": "b" });
  const file = path.join(root, "a.txt");
  const seen = new SeenFiles(new Boundary(root, root));
  const changes = async () => (await seen.changes()).map(({ path: place, change }) => [place, change]);
  writeFileSync(file, "unseen");
  expect(await changes()).toEqual([]);
  seen.record("a.txt", "unseen");
  seen.record("b.txt", "b");
  expect(await changes()).toEqual([]);
  writeFileSync(file, "two");
  const [change] = await seen.changes();
  expect(change).toMatchObject({ path: "a.txt", change: "changed", modifiedAt: expect.any(Number) as number });
  expect(await changes()).toEqual([]);
  writeFileSync(file, "three, of another length");
  expect(await changes()).toEqual([["a.txt", "changed"]]);
  writeFileSync(file, "unseen");
  expect(await changes()).toEqual([]);
  rmSync(file);
  expect(await seen.changes()).toEqual([{ path: "a.txt", change: "deleted", modifiedAt: null }]);
  symlinkSync("/etc/hostname", file);
  expect(await changes()).toEqual([]);
  seen.record("a.txt", "two");
  expect([seen.isKnown("a.txt", "two"), seen.isKnown("a.txt", "one"), seen.isKnown("c.txt", "")]).toEqual([
    true,
    false,
    null,
  ]);
});
