import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../../../core/src/__fixtures__/make-project.js";
import { lockFolder } from "./folder-lock.js";

const folderWith = (lock: string): string => {
  const folder = join(makeProject({}), "data");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "server.lock"), lock);
  return folder;
};
const alive = { pid: 1_000_001, kill: () => true };

it.each([
  [
    "a process that is gone",
    "1000002",
    {
      pid: 1_000_001,
      kill: () => {
        throw new Error("ESRCH");
      },
    },
  ],
  // A container starts its program with the same number each time.
  ["an earlier process of the same number", "1000001", alive],
  // Its number is in use again, but not since then.
  ["an earlier process whose number another one has", `${process.pid}`, alive],
  ["nobody", "", alive],
])("is taken over from %s", async (_, id, owner) => {
  const folder = folderWith(id === "" ? "" : `${id}\n${hostname()}\n12345\n`);
  const unlock = await lockFolder(folder, owner);
  expect(readFileSync(join(folder, "server.lock"), "utf8")).toMatch(/^1000001\n/);
  unlock();
});

it("is not taken over from a process that runs", async () => {
  const folder = join(makeProject({}), "data");
  const unlock = await lockFolder(folder, process);
  await expect(lockFolder(folder, alive)).rejects.toThrow(`${folder} is in use by process ${process.pid}`);
  unlock();
  const again = await lockFolder(folder, alive);
  again();
});
