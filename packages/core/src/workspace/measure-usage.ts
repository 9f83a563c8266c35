import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../errors/boundary.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { messageOf } from "../errors/message-of.js";
import { forEachOf } from "./tree.js";

/** What is in a folder. */
export interface Usage {
  /** On the disk, so a file with holes counts for what it takes. */
  bytes: number;
  /** Files, folders and links. */
  files: number;
}

const blockBytes = 512;

/** Measures a folder that may change meanwhile; what vanishes does not count. Ends early when there is more than `most`. */
export async function measureUsage(folder: string, most: Usage): Promise<Usage> {
  const usage: Usage = { bytes: 0, files: 0 };
  /** A file with several names takes its place once. */
  const counted = new Set<string>();
  const isBeyond = (): boolean => usage.bytes > most.bytes || usage.files > most.files;
  const walk = async (place: string): Promise<void> => {
    const listed = await attempt(() => readdir(place, { withFileTypes: true }), toError);
    if (!listed.success) return;
    await forEachOf(listed.data, async (entry) => {
      if (isBeyond()) return;
      const found = await attempt(() => lstat(path.join(place, entry.name), { bigint: true }), toError);
      if (!found.success) return;
      const { ino, nlink, blocks } = found.data;
      usage.files += 1;
      const isKnown = nlink > 1n && !entry.isDirectory() && counted.has(String(ino));
      if (nlink > 1n) counted.add(String(ino));
      if (!isKnown) usage.bytes += Number(blocks) * blockBytes;
      if (entry.isDirectory()) await walk(path.join(place, entry.name));
    });
  };
  await walk(folder);
  return usage;
}

function toError(cause: unknown): KindlmError {
  return kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause });
}
