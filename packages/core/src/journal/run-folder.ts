import { readdir, stat, mkdir } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { didYouMean } from "../values/nearest-name.js";
import { privateFolder } from "../files/private-modes.js";
import { writeError } from "../files/store-error.js";
import { writeAtomically } from "../files/write-atomically.js";
import { redacted } from "../redaction/redactor.js";

/** Where a run keeps what it found out. */
export interface RunFolder {
  id: string;
  /** Absolute. */
  path: string;
  journal: string;
  /** Written when the run ends. */
  result: string;
  lock: string;
}

export function runFolderAt(folder: string): RunFolder {
  return {
    id: path.basename(folder),
    path: folder,
    journal: path.join(folder, "journal.jsonl"),
    result: path.join(folder, "run.json"),
    lock: path.join(folder, "lock"),
  };
}

/** `root`: the folder that contains `.kindlm`. */
export function runFolderOf(root: string, id: string): RunFolder {
  return runFolderAt(path.join(runsFolder(root), id));
}

function runsFolder(root: string): string {
  return path.join(root, ".kindlm", "runs");
}

/**
 * Makes the folder of a run. The first run of a project sees to it that runs, unlike cassettes, are not committed. Fails
 * with STORE_WRITE_ERROR. `shown` is how people know the folder.
 */
export async function makeRunFolder({ path: own }: RunFolder, shown: string): Promise<Result<void>> {
  const made = await attempt(
    () => mkdir(own, { recursive: true, mode: privateFolder }),
    (cause) => writeError(shown, cause),
  );
  if (!made.success) return made;
  if (made.data === undefined || made.data === own) return success(undefined);
  const ignored = path.join(path.dirname(own), ".gitignore");
  // A run that can be kept is worth more than this.
  await writeAtomically(ignored, ignored, [redacted`*\n`]);
  return success(undefined);
}

/** The folders of all runs, the newest first: their ids begin with the time of their start. */
export async function listRunFolders(root: string): Promise<readonly RunFolder[]> {
  const entries = await attempt(
    () => readdir(runsFolder(root), { withFileTypes: true }),
    (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
  );
  if (!entries.success) return [];
  return entries.data
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .toSorted((a, b) => (a < b ? 1 : -1))
    .map((id) => runFolderOf(root, id));
}

/**
 * The folder of a run: by its id, by the beginning of one, by a path, or the newest one (`null` or `last`). Fails with
 * RUN_NOT_FOUND.
 */
export async function findRunFolder(root: string, wanted: string | null, cwd: string): Promise<Result<RunFolder>> {
  const folders = await listRunFolders(root);
  if (wanted === null || wanted === "last") {
    const [newest] = folders;
    return newest === undefined ? failure(notFound("No runs yet", "last", "none")) : success(newest);
  }
  const exact = folders.find(({ id }) => id === wanted);
  if (exact !== undefined) return success(exact);
  const begun = wanted === "" ? [] : folders.filter(({ id }) => id.startsWith(wanted));
  const [only] = begun;
  if (only !== undefined && begun.length === 1) return success(only);
  if (begun.length > 1) return failure(notFound(`${begun.length} runs start with ${wanted}`, wanted, "several"));
  const folder = path.resolve(cwd, wanted);
  if (/[\\/.]/.test(wanted) && (await isFolder(folder))) return success(runFolderAt(folder));
  const ids = folders.map(({ id }) => id);
  const hint = didYouMean(wanted, ids);
  return failure(notFound(`Run "${wanted}" not found${hint === undefined ? "" : `. ${hint}`}`, wanted));
}

function notFound(message: string, run: string, reason?: "none" | "several") {
  return kindlmError("RUN_NOT_FOUND", message, { details: reason === undefined ? { run } : { run, reason } });
}

async function isFolder(folder: string): Promise<boolean> {
  const found = await attempt(
    () => stat(folder),
    (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
  );
  return found.success && found.data.isDirectory();
}
