import { failure, success, type Result } from "../../../result.js";
import type { Located } from "../../../workspace/boundary.js";
import type { SeenFiles } from "../../../workspace/seen-files.js";
import type { Workspace } from "../../../workspace/workspace.js";

/** Files beyond this size are refused: their text would fill the conversation of any model. */
const mostBytes = 10_000_000;

/** A text file as it is now. */
export interface ReadFile {
  located: Located;
  text: string;
}

/**
 * What the agent has seen of the files of its workspace. A file that changed since the agent last read it must be read
 * again before it is written, or the agent would overwrite what it does not know.
 */
export class FilePool {
  readonly seen: SeenFiles;
  readonly #workspace: Workspace;

  /** `seen`: where it is not the agent under test. */
  constructor(workspace: Workspace, seen: SeenFiles = workspace.seen) {
    this.#workspace = workspace;
    this.seen = seen;
  }

  /** The text of a file; it does not count as read by the agent. */
  async load(path: string, access: "read" | "write" = "read"): Promise<Result<ReadFile, string>> {
    const { boundary } = this.#workspace;
    const located = await boundary.locate(path, access);
    if (!located.success) return failure(located.error.message);
    const { stats } = located.data;
    if (stats !== null && stats.size > mostBytes) return failure(`"${path}" is larger than 10 MB`);
    const bytes = await boundary.read(located.data, mostBytes);
    if (!bytes.success) return failure(bytes.error.message);
    if (bytes.data.includes(0)) return failure(`"${path}" is not a text file`);
    return success({ located: located.data, text: bytes.data.toString("utf8") });
  }

  recordRead({ located, text }: ReadFile): void {
    this.seen.record(located.path, text);
  }

  /** Why the file must not be written; null if it may be. */
  validateWrite({ located, text }: ReadFile): string | null {
    const isKnown = this.seen.isKnown(located.path, text);
    if (isKnown === null) return `Read "${located.path}" with fs_read before changing it`;
    if (isKnown) return null;
    return `"${located.path}" has changed since you last read it. Read it again with fs_read`;
  }

  /** Writes a file, which then counts as read. */
  async save(located: Located, text: string): Promise<Result<void, string>> {
    const written = await this.#workspace.boundary.write(located, text);
    if (!written.success) return failure(written.error.message);
    this.recordRead({ located, text });
    return success(undefined);
  }
}
