import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** What the lock needs of the process that takes it. */
export interface LockOwner {
  pid: number;
  /** With 0 for the signal: throws if there is no such process. */
  kill(id: number, signal: 0): unknown;
}

/** Another process has the folder of the embedded database open. */
export class FolderLockedError extends Error {
  constructor(folder: string, { id, host }: Holder) {
    super(`${folder} is in use by process ${id}${host === hostname() ? "" : ` on ${host}`}`);
  }
}

/** Other users may read the folder of the embedded database. */
export class OpenFolderError extends Error {
  constructor(folder: string) {
    super(`${folder} is accessible to other users: run chmod 700 ${folder}`);
  }
}

interface Holder {
  id: number;
  host: string;
  /** When the process started, in the words of the system; empty if it does not say. */
  started: string;
}

/** A lock is touched this often. */
const touchMs = 2_000;
/** The lock of another machine is taken over if nobody touches it for so long. */
const watchMs = 3 * touchMs;

/**
 * Makes the folder, readable by its owner only, and takes its lock: PGlite has none, and two processes would damage the
 * database. The lock of a process that has ended is taken over. The processes of another machine, or of another
 * container, cannot be seen: it is watched whether they touch the lock. Returns the function that gives the lock back.
 * Rejects with FolderLockedError or OpenFolderError.
 */
export async function lockFolder(folder: string, owner: LockOwner): Promise<() => void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode } = statSync(folder);
  if ((mode & 0o077) !== 0) throw new OpenFolderError(folder);
  const file = join(folder, "server.lock");
  const own: Holder = { id: owner.pid, host: hostname(), started: startOf(owner.pid) };
  while (!tryToWrite(file, own)) {
    const other = holderOf(file);
    // One look after the other, each at the lock of the moment.
    if (other !== null && (await isHeld(file, other, owner))) throw new FolderLockedError(folder, other);
    rmSync(file, { force: true });
  }
  const touching = setInterval(() => touch(file), touchMs).unref();
  return () => {
    clearInterval(touching);
    rmSync(file, { force: true });
  };
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // A folder that cannot be written at the moment is the concern of the database.
  }
}

function tryToWrite(file: string, { id, host, started }: Holder): boolean {
  try {
    const handle = openSync(file, "wx", 0o600);
    writeSync(handle, `${id}\n${host}\n${started}\n`);
    closeSync(handle);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Null for a lock that is gone or was never finished. */
function holderOf(file: string): Holder | null {
  try {
    const [id = "", host = "", started = ""] = readFileSync(file, "utf8").split("\n");
    return Number.isInteger(Number.parseInt(id, 10)) ? { id: Number.parseInt(id, 10), host, started } : null;
  } catch {
    return null;
  }
}

async function isHeld(file: string, { id, host, started }: Holder, owner: LockOwner): Promise<boolean> {
  if (host === hostname()) {
    // Processes of a container get the same numbers again.
    return id !== owner.pid && isRunning(id, owner) && startOf(id) === started;
  }
  const timeOf = (): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const before = timeOf();
  await setTimeout(watchMs);
  return timeOf() > before;
}

function isRunning(id: number, owner: LockOwner): boolean {
  try {
    owner.kill(id, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Field 22 of the state of a process, after its name, which may have spaces. Linux has it. */
function startOf(id: number): string {
  try {
    const state = readFileSync(`/proc/${id}/stat`, "utf8");
    return state.slice(state.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
