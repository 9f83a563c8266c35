import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

/** What the lock needs of the process that takes it. */
export interface LockOwner {
  pid: number;
  /** With 0 for the signal: throws if there is no such process. */
  kill(id: number, signal: 0): unknown;
}

/** Another process has the folder of the embedded database open. */
class FolderLockedError extends Error {
  constructor(folder: string, owner: number) {
    super(`${folder} is in use by process ${owner}`);
  }
}

/**
 * Makes the folder, readable by its owner only, and takes its lock: PGlite has none, and two processes would damage the
 * database. The lock of a process that has ended is taken over. Returns the function that gives the lock back. Throws
 * FolderLockedError.
 */
export function lockFolder(folder: string, owner: LockOwner): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode } = statSync(folder);
  if ((mode & 0o077) !== 0) throw new Error(`${folder} is accessible to other users: run chmod 700 ${folder}`);
  const file = join(folder, "server.lock");
  for (;;) {
    if (tryToWrite(file, owner.pid)) return () => rmSync(file, { force: true });
    const other = ownerOf(file);
    if (other !== null && isRunning(other, owner)) throw new FolderLockedError(folder, other);
    rmSync(file, { force: true });
  }
}

function tryToWrite(file: string, pid: number): boolean {
  try {
    const handle = openSync(file, "wx", 0o600);
    writeSync(handle, `${pid}\n`);
    closeSync(handle);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function ownerOf(file: string): number | null {
  try {
    const id = Number.parseInt(readFileSync(file, "utf8"), 10);
    return Number.isInteger(id) ? id : null;
  } catch {
    return null;
  }
}

function isRunning(id: number, owner: LockOwner): boolean {
  try {
    owner.kill(id, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
