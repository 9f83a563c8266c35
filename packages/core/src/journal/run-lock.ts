import { link, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { threadId } from "node:worker_threads";
import { attempt, attemptSync } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { systemCodeOf, writeError } from "../files/store-error.js";
import { isProcessAlive, ownPid } from "../processes/signal-process.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { isRecord } from "../values/json.js";
import { privateFile } from "../files/private-modes.js";
import { mebibyte, readText } from "../files/open-for-reading.js";

const mostBytes = mebibyte;

/** Keeps other processes from a run until it is released. */
export interface RunLock {
  /** Once: a file that is there later is the lock of somebody else. */
  release(): Promise<void>;
}

/** How often the holder shows that it lives, and after how long of nothing it counts as dead, milliseconds. */
const beatMs = 15_000;
const deadAfterMs = 120_000;

/** A process may die while it takes over from a dead one, and the next one too; no more are looked behind. */
const deepestGuard = 3;

interface LockContent {
  pid: number;
  host: string;
  startedAt: string;
}

/**
 * Takes the lock of a run by making its file. Fails with STORE_LOCKED while a process that lives holds it, and with
 * STORE_WRITE_ERROR when it cannot be made. On this machine the process is looked up; the process of another machine
 * (or container) lives as long as it goes on touching the file.
 */
export async function takeRunLock(path: string, shown: string, clock: Clock): Promise<Result<RunLock>> {
  const taken = await take(path, shown, clock, 0);
  return taken.success ? success(holdLock(path, clock)) : taken;
}

/** A file that is there is taken away only by whoever holds another file that stands for the right to do so. */
async function take(path: string, shown: string, clock: Clock, depth: number): Promise<Result<void>> {
  const made = await makeFile(path, shown, clock);
  if (made.success || systemCodeOf(made.error.cause) !== "EEXIST") return made;
  const holder = await livingHolder(path, clock);
  if (holder !== null || depth === deepestGuard) return failure(locked(shown, holder));
  const guard = `${path}.taking`;
  const guarded = await take(guard, shown, clock, depth + 1);
  if (!guarded.success) return guarded;
  const outcome = await replaceDead(path, shown, clock);
  await remove(guard);
  return outcome;
}

/** Its holder may have been another one before the right to look was had. */
async function replaceDead(path: string, shown: string, clock: Clock): Promise<Result<void>> {
  const holder = await livingHolder(path, clock);
  if (holder !== null) return failure(locked(shown, holder));
  await remove(path);
  const made = await makeFile(path, shown, clock);
  if (made.success || systemCodeOf(made.error.cause) !== "EEXIST") return made;
  return failure(locked(shown, await livingHolder(path, clock)));
}

/**
 * Makes the file with its content at one stroke: an empty one, left by a process that was killed between the two, would
 * name no holder, and be taken for one that is about to be written.
 */
async function makeFile(path: string, shown: string, clock: Clock): Promise<Result<void>> {
  const content: LockContent = { pid: ownPid, host: hostname(), startedAt: new Date(clock.now()).toISOString() };
  const text = `${JSON.stringify(content)}\n`;
  const toError = (cause: unknown) => writeError(shown, cause);
  drafts += 1;
  const draft = `${path}.${ownPid}-${threadId}-${drafts}`;
  const written = await attempt(() => writeFile(draft, text, { mode: privateFile }), toError);
  if (!written.success) return written;
  const linked = await attempt(() => link(draft, path), toError);
  await remove(draft);
  if (linked.success || systemCodeOf(linked.error.cause) === "EEXIST") return linked;
  // Not every file system has links.
  return attempt(() => writeFile(path, text, { flag: "wx", mode: privateFile }), toError);
}

let drafts = 0;

/** Whether a process that lives holds the lock. */
export async function isLocked(path: string, clock: Pick<Clock, "now">): Promise<boolean> {
  return (await livingHolder(path, clock)) !== null;
}

/** Who holds the lock; null when its holder is dead, or nobody does. */
async function livingHolder(path: string, clock: Pick<Clock, "now">): Promise<LockContent | null> {
  const found = await attempt(
    async () => ({ text: await readText(path, mostBytes), touchedAt: (await stat(path)).mtimeMs }),
    (cause) => writeError(path, cause),
  );
  if (!found.success) return null;
  const content = parseLock(found.data.text);
  const isFresh = clock.now() - found.data.touchedAt < deadAfterMs;
  // Its maker may be about to write into it.
  if (content === null) return isFresh ? { pid: 0, host: "", startedAt: "" } : null;
  if (content.host !== hostname()) return isFresh ? content : null;
  // A container gives its process the same pid each time, so our own pid belongs to an earlier process.
  return content.pid !== ownPid && isProcessAlive(content.pid) ? content : null;
}

/** Nothing happens if it is gone. `rm` would look at it twice before it removes it. */
async function remove(path: string): Promise<void> {
  await attempt(
    () => unlink(path),
    (cause) => writeError(path, cause),
  );
}

function holdLock(path: string, clock: Clock): RunLock {
  let cancel: () => void;
  const beat = (): void => {
    const now = new Date(clock.now());
    void attempt(
      () => utimes(path, now, now),
      (cause) => writeError(path, cause),
    );
    cancel = clock.after(beatMs, beat);
  };
  cancel = clock.after(beatMs, beat);
  let releasing: Promise<void> | null = null;
  const release = (): Promise<void> => {
    cancel();
    return remove(path);
  };
  return { release: () => (releasing ??= release()) };
}

function locked(shown: string, holder: LockContent | null) {
  const who = holder === null || holder.pid === 0 ? "Another process" : `Process ${holder.pid} on ${holder.host}`;
  return kindlmError("STORE_LOCKED", `${who} is working on this run (${shown})`, { details: { path: shown } });
}

function parseLock(text: string): LockContent | null {
  const parsed = attemptSync<unknown, null>(
    () => JSON.parse(text),
    () => null,
  );
  if (!parsed.success || !isRecord(parsed.data)) return null;
  const { pid, host, startedAt } = parsed.data;
  if (typeof pid !== "number" || typeof host !== "string") return null;
  return { pid, host, startedAt: typeof startedAt === "string" ? startedAt : "" };
}
