import { kindlmError, type KindlmError } from "@kindlm/core";
import { attempt, attemptSync, messageOf } from "@kindlm/core/program";
import { watch } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";

/** Files, and folders below which any file counts, by their absolute paths. They need not be there yet. */
export type Places = ReadonlyMap<string, "file" | "below">;

/** More than this takes a system longer to watch than a run does. */
const mostFolders = 5_000;

/** What editors leave behind while they save. */
const noise = /^\.#|~$|^4913$|\.sw[a-z]$|___jb_(?:old|tmp)___$|^\.goutputstream/;
const ignoredFolders = new Set(["node_modules"]);

interface FileWatcherPorts {
  /** The folder of the project: whatever happens to folders above it concerns nobody. */
  root: string;
  /** Receives the path that was changed, added, or removed. */
  onChange(path: string): void;
  /** Receives a folder that cannot be watched, and what the system says. */
  onProblem(folder: string, reason: string): void;
}

/**
 * Watches folders and never files: an editor that saves replaces the file, and a watch of the file would stay with the
 * old one. A folder that is not there yet is noticed by the ones above it.
 */
export class FileWatcher {
  readonly #ports: FileWatcherPorts;
  readonly #watchers = new Map<string, ReturnType<typeof watch>>();
  /** The names that count in a folder; null for all. */
  #wanted = new Map<string, Set<string> | null>();

  constructor(ports: FileWatcherPorts) {
    this.#ports = ports;
  }

  /** Watches these places from now on. Resolves with whether folders were added, in which something may have changed. */
  async update(places: Places): Promise<boolean> {
    const wanted = new Wanted(this.#ports.root);
    for (const [place, kind] of places) {
      await wanted.add(place, kind);
      const target = await attempt(() => realpath(place), ioError);
      // What a link points to changes without the link.
      if (target.success && target.data !== place) await wanted.add(target.data, kind);
    }
    this.#wanted = wanted.folders;
    for (const [folder, watcher] of this.#watchers) {
      if (this.#wanted.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    let added = false;
    for (const folder of this.#wanted.keys()) added = (!this.#watchers.has(folder) && this.#open(folder)) || added;
    return added;
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #open(folder: string): boolean {
    const opened = attemptSync(() => watch(folder), messageOf);
    if (!opened.success) {
      if (!/ENOENT|ENOTDIR/.test(opened.error)) this.#ports.onProblem(folder, opened.error);
      return false;
    }
    const watcher = opened.data;
    this.#watchers.set(folder, watcher);
    watcher.on("change", (kind, name) => this.#onEvent(folder, kind, name === null ? null : String(name)));
    // On Windows, a folder that is removed.
    watcher.on("error", () => this.#forget(folder));
    return true;
  }

  #onEvent(folder: string, kind: string, name: string | null): void {
    const names = this.#wanted.get(folder);
    if (names === undefined) return;
    if (name === null) return this.#ports.onChange(folder);
    const path = join(folder, name);
    // A folder that was replaced is another one, although it has the same name.
    if (kind === "rename") this.#forget(path);
    if (names === null ? noise.test(name) || ignoredFolders.has(name) || name.startsWith(".") : !names.has(name))
      return;
    this.#ports.onChange(path);
  }

  #forget(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }
}

/** The folders to watch for some places. */
class Wanted {
  readonly folders = new Map<string, Set<string> | null>();
  readonly #root: string;
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(root: string) {
    this.#root = root;
  }

  async add(place: string, kind: "file" | "below"): Promise<void> {
    if (kind === "file") this.#addName(dirname(place), basename(place));
    else await this.#addBelow(place);
    for (let folder = kind === "file" ? dirname(place) : place; folder !== dirname(folder); folder = dirname(folder)) {
      const isInside = folder.startsWith(this.#root + sep);
      if (!isInside && (await this.#isFolder(folder))) return;
      this.#addName(dirname(folder), basename(folder));
    }
  }

  #addName(folder: string, name: string): void {
    const names = this.folders.get(folder);
    if (names === undefined) this.folders.set(folder, new Set([name]));
    else names?.add(name);
  }

  async #addBelow(folder: string): Promise<void> {
    if (this.folders.size > mostFolders) return;
    const listed = await attempt(() => readdir(folder, { withFileTypes: true }), ioError);
    if (!listed.success) return;
    this.folders.set(folder, null);
    for (const entry of listed.data) {
      const isOwn = entry.isDirectory() && !entry.name.startsWith(".") && !ignoredFolders.has(entry.name);
      if (isOwn) await this.#addBelow(join(folder, entry.name));
    }
  }

  #isFolder(folder: string): Promise<boolean> {
    const known =
      this.#known.get(folder) ??
      attempt(() => stat(folder), ioError).then((found) => found.success && found.data.isDirectory());
    this.#known.set(folder, known);
    return known;
  }
}

function ioError(cause: unknown): KindlmError {
  return kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause });
}
