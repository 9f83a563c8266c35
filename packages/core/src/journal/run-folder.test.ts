import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findRunFolder, listRunFolders, runFolderOf } from "./run-folder.js";

const ids = ["20260215-103000000-a1b2c3", "20260215-104500000-d4e5f6", "20260301-000000000-000000"] as const;
let root = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "kindlm-runs-"));
  for (const id of [...ids, ".hidden"]) mkdirSync(path.join(root, ".kindlm", "runs", id), { recursive: true });
  writeFileSync(path.join(root, ".kindlm", "runs", "a-file"), "");
});
afterEach(() => rmSync(root, { recursive: true }));

describe("listRunFolders", () => {
  it("gives the folders, the newest first, and leaves out what is hidden and what is none", async () => {
    const folders = await listRunFolders(root);
    expect(folders.map(({ id }) => id)).toEqual([...ids].toReversed());
    expect(folders[0]).toEqual(runFolderOf(root, ids[2]));
    expect(folders[0]?.journal).toBe(path.join(root, ".kindlm", "runs", ids[2], "journal.jsonl"));
  });

  it("gives none where there are no runs", async () => {
    expect(await listRunFolders(path.join(root, "elsewhere"))).toEqual([]);
  });
});

describe("findRunFolder", () => {
  it.each([
    [null, ids[2]],
    ["last", ids[2]],
    [ids[0], ids[0]],
    ["20260301", ids[2]],
    ["20260215-104", ids[1]],
    [`.kindlm/runs/${ids[1]}`, ids[1]],
  ])("finds %j", async (wanted, id) => {
    expect(await findRunFolder(root, wanted, root)).toMatchObject({ success: true, data: { id } });
  });

  it("finds a folder anywhere by its path, and takes the id before the beginning of others", async () => {
    mkdirSync(path.join(root, "copied"));
    mkdirSync(path.join(root, ".kindlm", "runs", "20260215"));
    expect(await findRunFolder(root, "./copied", root)).toMatchObject({ data: { path: path.join(root, "copied") } });
    expect(await findRunFolder(root, "20260215", root)).toMatchObject({ data: { id: "20260215" } });
  });

  it.each([
    ["nothing", { run: "nothing" }, 'Run "nothing" not found'],
    ["", { run: "" }, 'Run "" not found'],
    ["copied", { run: "copied" }, 'Run "copied" not found'],
    ["./missing", { run: "./missing" }, 'Run "./missing" not found'],
    ["2026", { run: "2026", reason: "several" }, "3 runs start with 2026"],
    ["20260215-103000000-a1b2c4", {}, 'Did you mean "20260215-103000000-a1b2c3"?'],
  ])("does not find %j", async (wanted, details, says) => {
    mkdirSync(path.join(root, "copied"));
    const found = await findRunFolder(root, wanted, root);
    expect(found).toMatchObject({ success: false, error: { code: "RUN_NOT_FOUND", details } });
    expect(found.success ? "" : found.error.message).toContain(says);
  });

  it("says that there is no run at all", async () => {
    rmSync(path.join(root, ".kindlm"), { recursive: true });
    expect(await findRunFolder(root, "last", root)).toMatchObject({
      error: { code: "RUN_NOT_FOUND", message: "No runs yet", details: { reason: "none" } },
    });
  });
});
