import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { RunSummary } from "../engine/run-result.js";
import { attempt } from "../errors/boundary.js";
import { readError } from "../files/store-error.js";
import type { Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { isRecord } from "../values/json.js";
import type { JournalHeader } from "./journal-record.js";
import { isUnstarted, readJournalHeader } from "./read-journal.js";
import { readRunHead } from "./read-run-file.js";
import type { RunHead } from "./run-file.js";
import type { RunFolder } from "./run-folder.js";
import { startOfRun } from "./run-id.js";
import { isLocked } from "./run-lock.js";

/**
 * `finished`: it went through. `interrupted`: it was stopped, and recorded that. `unfinished`: it was cut off.
 * `running`: it is still running. `damaged`: what it wrote cannot be read by this version.
 */
export type RunState = "finished" | "interrupted" | "unfinished" | "running" | "damaged";

/** An entry of a list of runs. Null for unknown values. */
export interface RunListing {
  id: string;
  /** Its folder, absolute. */
  path: string;
  state: RunState;
  /** ISO 8601. */
  startedAt: string | null;
  /** All sessions together; null before it came to an end. */
  durationMs: number | null;
  verdict: "passed" | "failed" | null;
  /** Of cases. */
  counts: Pick<RunSummary, "total" | "passed" | "failed" | "errored" | "skipped"> | null;
  costUsd: number | null;
  project: string | null;
  /** Which part of a run it is; null for a whole one. */
  shard: { index: number; of: number } | null;
  /** KindLM's version when it began. */
  kindlm: string | null;
  seed: number | null;
  /** What it takes on the disk. */
  bytes: number;
}

/** Reads the entry of a run from its folder. */
export async function describeRun(folder: RunFolder, clock: Pick<Clock, "now">): Promise<RunListing> {
  const files = await sizesIn(folder.path);
  const isRunning = await isLocked(folder.lock, clock);
  const read = await readJournalHeader(folder.journal, folder.journal);
  const header = read.success ? read.data : null;
  const hasEnded = files.has(path.basename(folder.result));
  const head = hasEnded ? await readRunHead(folder.result) : null;
  const isDamaged = hasEnded ? head === null || header === null : isDamagedHeader(folder, read);
  return {
    id: folder.id,
    path: folder.path,
    state: isRunning ? "running" : isDamaged ? "damaged" : stateOf(head),
    startedAt: header?.startedAt ?? head?.run.startedAt ?? null,
    ...outcomeOf(isRunning ? null : head),
    project: header?.project ?? null,
    shard: header === null ? null : shardOf(header.options),
    kindlm: header?.kindlm ?? null,
    seed: header?.seed ?? null,
    bytes: [...files.values()].reduce((sum, size) => sum + size, 0),
  };
}

/** What was killed before it began is not damaged: nothing is lost. */
function isDamagedHeader({ id }: RunFolder, read: Result<JournalHeader>): boolean {
  return !read.success && !(isUnstarted(read.error) && startOfRun(id) !== null);
}

function stateOf(head: RunHead | null): RunState {
  if (head === null) return "unfinished";
  return head.run.interrupted ? "interrupted" : "finished";
}

function outcomeOf(head: RunHead | null): Pick<RunListing, "durationMs" | "verdict" | "counts" | "costUsd"> {
  if (head === null) return { durationMs: null, verdict: null, counts: null, costUsd: null };
  const { total, passed, failed, errored, skipped, costUsd } = head.summary;
  const counts = { total, passed, failed, errored, skipped };
  return { durationMs: head.run.durationMs, verdict: head.verdict, counts, costUsd };
}

function shardOf(options: JournalHeader["options"]): RunListing["shard"] {
  const shard = new Map<string, unknown>(Object.entries(options)).get("shard");
  if (!isRecord(shard)) return null;
  const { index, of } = shard;
  return typeof index === "number" && typeof of === "number" ? { index, of } : null;
}

/** The sizes of the files in a folder, bytes. */
async function sizesIn(folder: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const toError = (cause: unknown) => readError(folder, cause);
  const names = await attempt(() => readdir(folder), toError);
  for (const name of names.success ? names.data : []) {
    const found = await attempt(() => stat(path.join(folder, name)), toError);
    if (found.success) sizes.set(name, found.data.size);
  }
  return sizes;
}
