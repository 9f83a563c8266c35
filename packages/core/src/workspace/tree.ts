import { constants, type BigIntStats } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../errors/boundary.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { messageOf } from "../errors/message-of.js";

/** What is in a tree, by its path relative to the root, with slashes. */
export type Tree = ReadonlyMap<string, TreeEntry>;

export interface TreeEntry {
  kind: "file" | "folder" | "link" | "other";
  stats: BigIntStats;
}

/** How many entries of a folder are asked for at a time. */
const atATime = 32;

/** Runs the action for each item, a few at a time. */
export async function forEachOf<T>(items: readonly T[], action: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += atATime) {
    await Promise.all(items.slice(start, start + atATime).map(action));
  }
}

/** Everything in a folder. Links are not followed. `visit` sees each entry before those inside it; false stops. */
export async function walkTree(root: string, visit: (place: string, entry: TreeEntry) => boolean): Promise<void> {
  const walk = async (folder: string, prefix: string): Promise<void> => {
    const names = (await readdir(folder)).toSorted();
    await forEachOf(names, async (name) => {
      const file = path.join(folder, name);
      const stats = await lstat(file, { bigint: true });
      const entry: TreeEntry = { kind: kindOf(stats), stats };
      if (visit(prefix + name, entry) && entry.kind === "folder") await walk(file, `${prefix}${name}/`);
    });
  };
  await walk(root, "");
}

/** Everything in a folder, in the order of the paths. */
export async function readTree(root: string): Promise<Tree> {
  const found: [string, TreeEntry][] = [];
  await walkTree(root, (place, entry) => {
    found.push([place, entry]);
    return true;
  });
  return new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Copies a folder with its links and modes, pipes and sockets left out; `to` exists. File systems that can share blocks until one copy changes do so.
 * Hard links are never made: writing through one would change the original.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true });
  await forEachOf(entries, async (entry) => {
    const source = path.join(from, entry.name);
    const target = path.join(to, entry.name);
    if (entry.isSymbolicLink()) return symlink(await readlink(source), target);
    if (entry.isFile()) return copyFile(source, target, constants.COPYFILE_FICLONE);
    if (!entry.isDirectory()) return;
    await mkdir(target);
    await copyTree(source, target);
    await chmod(target, (await lstat(source)).mode & 0o777);
  });
}

/** Gives the owner access to everything in a folder, as far as the system allows. Nothing may change meanwhile. */
export async function openUp(folder: string): Promise<void> {
  const asFailure = (cause: unknown): KindlmError => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause });
  await attempt(async () => chmod(folder, (await lstat(folder)).mode | 0o700), asFailure);
  const entries = await attempt(() => readdir(folder, { withFileTypes: true }), asFailure);
  if (!entries.success) return;
  await forEachOf(entries.data, async (entry) => {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) await openUp(place);
    else if (entry.isFile()) await attempt(async () => chmod(place, (await lstat(place)).mode | 0o600), asFailure);
  });
}

function kindOf(stats: BigIntStats): TreeEntry["kind"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : "other";
}
