import { hash } from "node:crypto";
import type { Stats } from "node:fs";
import type { Boundary, Located } from "./boundary.js";
import type { SeenChange } from "./seen-change.js";

interface SeenFile {
  /** Of the text that the agent last read or wrote. */
  hash: string;
  /** What its stats were when the text was last compared; null if it has not been. */
  stamp: string | null;
  /** What was found last that differs from the text. */
  reported: string | null;
}

const mostBytes = 10_000_000;
const deleted = "deleted";

/** What the agent has seen of the files of its workspace, and which of them have changed since. */
export class SeenFiles {
  readonly #files = new Map<string, SeenFile>();
  readonly #boundary: Boundary;

  /** `boundary`: one that nobody else uses, since the agent does not attempt anything here. */
  constructor(boundary: Boundary) {
    this.#boundary = boundary;
  }

  /** The agent has read or written the file. `path`: relative to the workspace, without links. */
  record(path: string, text: string): void {
    this.#files.set(path, { hash: hashOf(text), stamp: null, reported: null });
  }

  /** Whether the text is what the agent knows; null if it has never seen the file. */
  isKnown(path: string, text: string): boolean | null {
    const seen = this.#files.get(path);
    return seen === undefined ? null : seen.hash === hashOf(text);
  }

  /** The files that differ from what the agent knows. Each difference is given once. */
  async changes(): Promise<readonly SeenChange[]> {
    const found: SeenChange[] = [];
    for (const [path, seen] of this.#files) {
      const located = await this.#boundary.locate(path);
      const stats = located.success && located.data.stats?.isFile() === true ? located.data.stats : null;
      const now = located.success && stats !== null ? await this.#contentOf(located.data, stats, seen) : deleted;
      if (now === seen.hash) seen.reported = null;
      else if (now !== seen.reported) {
        seen.reported = now;
        found.push({
          path,
          change: stats === null ? "deleted" : "changed",
          modifiedAt: stats === null ? null : Math.trunc(stats.mtimeMs),
        });
      }
    }
    return found;
  }

  /** The hash of the text. The file is read only if its stats have changed since it was last compared. */
  async #contentOf(located: Located, stats: Stats, seen: SeenFile): Promise<string> {
    const stamp = [stats.size, stats.mtimeMs, stats.ctimeMs, stats.ino].join(" ");
    if (stamp === seen.stamp) return seen.reported ?? seen.hash;
    const read = await this.#boundary.read(located, mostBytes);
    if (!read.success) return deleted;
    seen.stamp = stamp;
    return hashOf(read.data.toString("utf8"));
  }
}

function hashOf(text: string): string {
  return hash("sha256", text);
}
