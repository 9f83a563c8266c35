import { readdir } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { readError } from "../files/store-error.js";
import { findRunFolder, runFolderAt, type RunFolder } from "../journal/run-folder.js";
import { failure, success, type Result } from "../result.js";

/** A run folder, and whether somebody named it or it was found in a folder that holds several. */
export interface NamedFolder {
  folder: RunFolder;
  isNamed: boolean;
}

/** How deep run folders lie in what a CI system makes of them: artifact, .kindlm, runs, id, and some to spare. */
const deepest = 6;
const ofRun = new Set(["journal.jsonl", "run.json"]);

/**
 * The run folders that are meant: by their paths, by the path of a folder that holds several, or by the ids of runs
 * below `root`. Fails with RUN_NOT_FOUND where nothing is found.
 */
export async function findRunFolders(
  written: readonly string[],
  root: string,
  cwd: string,
): Promise<Result<readonly NamedFolder[]>> {
  const found: NamedFolder[] = [];
  for (const one of written) {
    // Few, and in the order in which they are written.
    const folders = await foldersOf(one, root, cwd);
    if (!folders.success) return folders;
    found.push(...folders.data);
  }
  return success(found);
}

async function foldersOf(written: string, root: string, cwd: string): Promise<Result<readonly NamedFolder[]>> {
  const folder = path.resolve(cwd, written);
  const names = await namesIn(folder);
  if (names === null) {
    const byId = await findRunFolder(root, written, cwd);
    return byId.success ? success([{ folder: byId.data, isNamed: true }]) : byId;
  }
  if (names.files.some((name) => ofRun.has(name))) return success([{ folder: runFolderAt(folder), isNamed: true }]);
  const inside = await search(folder, names.folders, deepest);
  if (inside.length > 0) return success(inside.map((one) => ({ folder: runFolderAt(one), isNamed: false })));
  return failure(kindlmError("RUN_NOT_FOUND", `No run found in ${written}`, { details: { run: written } }));
}

async function search(folder: string, names: readonly string[], depth: number): Promise<readonly string[]> {
  if (depth === 0) return [];
  const found: string[] = [];
  for (const name of names.toSorted()) {
    const inner = path.join(folder, name);
    const content = await namesIn(inner);
    if (content === null || name === "node_modules") continue;
    if (content.files.some((file) => ofRun.has(file))) found.push(inner);
    else found.push(...(await search(inner, content.folders, depth - 1)));
  }
  return found;
}

/** Null if it is not a folder. */
async function namesIn(folder: string): Promise<{ files: readonly string[]; folders: readonly string[] } | null> {
  const read = await attempt(
    () => readdir(folder, { withFileTypes: true }),
    (cause) => readError(folder, cause),
  );
  if (!read.success) return null;
  return {
    files: read.data.filter((entry) => entry.isFile()).map((entry) => entry.name),
    folders: read.data.filter((entry) => entry.isDirectory()).map((entry) => entry.name),
  };
}
