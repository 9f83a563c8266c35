import { randomBytes } from "node:crypto";
import { constants, existsSync, type Stats } from "node:fs";
import { lstat, mkdir, open, realpath, rename, rm, unlink, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { attempt, withCleanup } from "../errors/boundary.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { messageOf } from "../errors/message-of.js";
import { failure, success, type Result } from "../result.js";
import { walkTree } from "./tree.js";

/** Why a file of a workspace cannot be used. */
export interface FileProblem {
  /** `outside`: the path leaves the workspace. */
  kind: "outside" | "missing" | "unfit" | "failed";
  message: string;
}

/** A file or folder of a workspace, which need not exist. */
export interface Located {
  /** Relative to the root, with slashes; `.` for the root. */
  path: string;
  /** Absolute, without symbolic links. */
  absolute: string;
  /** Null if there is nothing. */
  stats: Stats | null;
}

/** An attempt to leave the workspace. */
export interface EscapeAttempt {
  path: string;
  access: "read" | "write";
}

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL } = constants;

/**
 * Gives access to the files of one folder and to nothing else. A path is first resolved with all its links; the file is
 * then opened folder by folder without following any, so a link that is put there in between leads nowhere.
 */
export class Boundary {
  /** Absolute, without symbolic links. */
  readonly root: string;
  readonly attempts: EscapeAttempt[] = [];
  readonly #links: OwnLinks;

  /** `territory`: all that belongs to the trial, the root among it. */
  constructor(root: string, territory: string) {
    this.root = root;
    this.#links = new OwnLinks(territory);
  }

  /** Where a path leads, as an agent writes it: relative to the root, or absolute. */
  async locate(written: string, access: EscapeAttempt["access"] = "read"): Promise<Result<Located, FileProblem>> {
    if (written.includes("\0")) return failure({ kind: "unfit", message: "A path must not contain a NUL character" });
    const absolute = path.resolve(this.root, written);
    const real = this.#relative(absolute) === null ? null : await this.#realOf(absolute);
    const relative = real === null ? null : this.#relative(real);
    if (real === null || relative === null) return this.#refuse(written, access);
    const found = await attempt(() => lstat(real), toError);
    return success({ path: relative, absolute: real, stats: found.success ? found.data : null });
  }

  #refuse(written: string, access: EscapeAttempt["access"]): Result<never, FileProblem> {
    this.attempts.push({ path: written, access });
    return failure({ kind: "outside", message: `Path "${written}" is outside the workspace` });
  }

  /** The bytes of a regular file, at most `limit` of them. A file that has a name outside of the trial is refused. */
  async read(located: Located, limit: number): Promise<Result<Buffer, FileProblem>> {
    const { stats } = located;
    if (stats === null) return failure({ kind: "missing", message: `File "${located.path}" not found` });
    if (stats.isDirectory()) return failure({ kind: "unfit", message: `"${located.path}" is a folder` });
    if (!stats.isFile()) return failure({ kind: "unfit", message: `"${located.path}" is not a regular file` });
    const read = await this.#inFolderOf(located, false, (folder) =>
      withHandle(
        () => open(inFolder(folder, located), O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
        async (file) => {
          const now = await file.stat();
          if (!now.isFile()) await Promise.reject(new Error("it is not a regular file"));
          if (now.nlink > 1 && !(await this.#links.hold(now))) return null;
          const buffer = Buffer.alloc(Math.min(now.size, limit));
          let length = 0;
          while (length < buffer.length) {
            const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
            if (bytesRead === 0) break;
            length += bytesRead;
          }
          return buffer.subarray(0, length);
        },
      ),
    );
    if (!read.success) return read;
    return read.data === null ? this.#refuse(located.path, "read") : success(read.data);
  }

  /**
   * Creates or replaces a file, with the folders that it needs. It is written next to its place and renamed, so a hard link
   * to a file elsewhere is replaced and never written through.
   */
  async write(located: Located, content: string | Buffer): Promise<Result<void, FileProblem>> {
    const { stats } = located;
    if (located.path === "." || stats?.isDirectory() === true) {
      return failure({ kind: "unfit", message: `"${located.path}" is a folder` });
    }
    if (stats !== null && !stats.isFile()) {
      return failure({ kind: "unfit", message: `"${located.path}" is not a regular file` });
    }
    return this.#inFolderOf(located, true, async (folder) => {
      const temporary = path.join(folder, `.kindlm-${randomBytes(6).toString("hex")}`);
      const written = await attempt(
        () =>
          withHandle(
            () => open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, (stats?.mode ?? 0o644) & 0o777),
            (file) => file.writeFile(content),
          ),
        toError,
      );
      if (!written.success) {
        await rm(temporary, { force: true });
        await Promise.reject(written.error.cause);
      }
      await rename(temporary, inFolder(folder, located));
    });
  }

  async remove(located: Located): Promise<Result<void, FileProblem>> {
    return this.#inFolderOf(located, false, (folder) => unlink(inFolder(folder, located)));
  }

  #relative(absolute: string): string | null {
    if (absolute === this.root) return ".";
    if (!absolute.startsWith(this.root + path.sep)) return null;
    return absolute
      .slice(this.root.length + 1)
      .split(path.sep)
      .join("/");
  }

  /** The path with the links of all its parts that exist resolved; null where that does not end. */
  async #realOf(absolute: string): Promise<string | null> {
    const missing: string[] = [];
    for (let place = absolute; ; place = path.dirname(place)) {
      const real = await attempt(() => realpath(place), toError);
      if (real.success) return path.join(real.data, ...missing);
      // A link that leads to nothing, or to itself, would be followed by whoever creates the file.
      const own = await attempt(() => lstat(place), toError);
      if (own.success || place === path.dirname(place)) return null;
      missing.unshift(path.basename(place));
    }
  }

  /** Runs the action with a path that stands for the folder of the file, whatever its name leads to by then. */
  async #inFolderOf<T>(
    located: Located,
    create: boolean,
    action: (folder: string) => Promise<T>,
  ): Promise<Result<T, FileProblem>> {
    const done = await attempt(() => this.#walk(located, create, action), toError);
    if (done.success) return done;
    return failure({ kind: "failed", message: `"${located.path}": ${done.error.message}` });
  }

  async #walk<T>(located: Located, create: boolean, action: (folder: string) => Promise<T>): Promise<T> {
    const names = path.relative(this.root, path.dirname(located.absolute)).split(path.sep).filter(Boolean);
    const handles: FileHandle[] = [];
    const descend = async (): Promise<T> => {
      let folder = this.root;
      for (const name of ["", ...names]) {
        const next = path.join(folder, name);
        if (create && name !== "") await attempt(() => mkdir(next), toError);
        const handle = await open(next, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        handles.push(handle);
        folder = placeOf(handle, next);
      }
      return action(folder);
    };
    return withCleanup(descend, async () => void (await Promise.all(handles.map((handle) => handle.close()))));
  }
}

const openFiles = "/proc/self/fd";
let hasOpenFiles: boolean | null = null;

/** A path that leads to the opened folder even if another one stands at its place, where the system has such paths. */
function placeOf({ fd }: FileHandle, opened: string): string {
  hasOpenFiles ??= existsSync(openFiles);
  return hasOpenFiles ? `${openFiles}/${fd}` : opened;
}

function inFolder(folder: string, { absolute }: Located): string {
  return path.join(folder, path.basename(absolute));
}

async function withHandle<T>(
  opening: () => Promise<FileHandle>,
  action: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await opening();
  return withCleanup(
    () => action(handle),
    () => handle.close(),
  );
}

function toError(cause: unknown): KindlmError {
  return kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause });
}

/**
 * Files with several names. Package managers and git make hard links within what is theirs; one that leads to a file
 * elsewhere shows what is not the agent's to read.
 */
class OwnLinks {
  readonly #territory: string;
  /** How many names a file had in the territory when that was last listed. */
  #names = new Map<string, number>();

  constructor(territory: string) {
    this.#territory = territory;
  }

  /** Whether all names of the file are in the territory. */
  async hold({ dev, ino, nlink }: Pick<Stats, "dev" | "ino" | "nlink">): Promise<boolean> {
    const key = `${dev} ${ino}`;
    // The listing is slow, and a folder of packages has thousands of such files.
    if ((this.#names.get(key) ?? 0) >= nlink) return true;
    this.#names = await namesIn(this.#territory);
    return (this.#names.get(key) ?? 0) >= nlink;
  }
}

async function namesIn(folder: string): Promise<Map<string, number>> {
  const names = new Map<string, number>();
  await walkTree(folder, (_place, { kind, stats }) => {
    if (kind === "file" && stats.nlink > 1n) {
      const key = `${stats.dev} ${stats.ino}`;
      names.set(key, (names.get(key) ?? 0) + 1);
    }
    return true;
  });
  return names;
}
