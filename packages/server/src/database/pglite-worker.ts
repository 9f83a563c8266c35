import { existsSync, fsyncSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { flushAll, flushFolder } from "./flush-folder.js";
import { messageOf } from "./retry-conflicts.js";

/**
 * The program of the worker that holds the embedded database: PGlite blocks its thread while a query runs, so it has one
 * to itself. It answers each message with the same number.
 */

type Init = NodeFS["init"];

interface OpenFile {
  nfd?: number;
}

/** Of PGlite's module: the operations on files of the real file system. */
interface FileModule {
  FS: { filesystems: Record<string, { stream_ops?: { fsync?(file: OpenFile): number } } | undefined> };
}

function isFileModule(module: unknown): module is FileModule {
  if (typeof module !== "object" || module === null || !("FS" in module)) return false;
  const { FS: files } = module;
  return typeof files === "object" && files !== null && "filesystems" in files;
}

/**
 * The files of PGlite, flushed when PostgreSQL asks for it. PGlite's own class ignores the call, so what a commit wrote
 * would be lost if the machine stops.
 */
class FlushingFiles extends NodeFS {
  #flushes = 0;

  /** How often a file was flushed. */
  get flushes(): number {
    return this.#flushes;
  }

  override async init(...args: Parameters<Init>): ReturnType<Init> {
    const made = await super.init(...args);
    const { emscriptenOpts } = made;
    const preRun = emscriptenOpts.preRun ?? [];
    const all = Array.isArray(preRun) ? preRun : [preRun];
    emscriptenOpts.preRun = [...all, (module: unknown) => this.#addFlush(module)];
    return made;
  }

  #addFlush(module: unknown): void {
    const operations = isFileModule(module) ? module.FS.filesystems["NODEFS"]?.stream_ops : undefined;
    if (operations === undefined) return;
    operations.fsync = ({ nfd }) => {
      if (nfd !== undefined) {
        fsyncSync(nfd);
        this.#flushes += 1;
      }
      return 0;
    };
  }
}

/** PGlite's own start. */
const startParams = (isInMemory: boolean): string[] => [
  "--single",
  "-O",
  "-j",
  ...[
    "search_path=public",
    "exit_on_error=false",
    "log_checkpoints=false",
    "max_worker_processes=0",
    "max_parallel_workers=0",
    "max_parallel_workers_per_gather=0",
    "io_method=sync",
    "max_parallel_maintenance_workers=0",
    // PGlite turns flushes off. A start fills all buffers, of 128 MB by default, which is a fifth of what it costs.
    ...(isInMemory ? ["fsync=off", "shared_buffers=16MB"] : ["fsync=on", "wal_sync_method=fsync"]),
  ].flatMap((setting) => ["-c", setting]),
];
const int8 = 20;

const port = parentPort;
const post = (message: object): void => port?.postMessage(message);

interface Question {
  id: number;
  sql: string;
  parameters: unknown[];
}

const isQuestion = (message: unknown): message is Question =>
  typeof message === "object" && message !== null && "sql" in message;

/** A database without rows, made by the build: to unpack it takes a quarter of the time of making one. */
const images = ["database.tar.gz", "../../dist/database.tar.gz"].map((file) =>
  fileURLToPath(new URL(file, import.meta.url)),
);

function imageFor(folder: string | null): { loadDataDir: Blob } | object {
  if (folder !== null && existsSync(join(folder, "PG_VERSION"))) return {};
  const image = images.find((file) => existsSync(file));
  // PGlite would inflate it as a stream of the web, which takes three times as long.
  return image === undefined ? {} : { loadDataDir: new Blob([gunzipSync(readFileSync(image))]) };
}

/**
 * A start that was interrupted, or had no space, leaves half a database: this file is there until there is a whole one, on the
 * disk too. PostgreSQL flushes what it writes, but not what was unpacked.
 */
async function clearUnfinished(folder: string): Promise<() => Promise<void>> {
  const mark = `${folder}.unfinished`;
  if (existsSync(mark)) rmSync(folder, { recursive: true, force: true });
  if (existsSync(join(folder, "PG_VERSION"))) return async () => {};
  writeFileSync(mark, "", { flush: true });
  await flushFolder(dirname(folder));
  return async () => {
    await flushAll(folder);
    await flushFolder(dirname(folder));
    rmSync(mark, { force: true });
    // If the mark came back with the next start, it would cost everything that was stored meanwhile.
    await flushFolder(dirname(folder));
  };
}

async function start(folder: string | null): Promise<void> {
  const finish = folder === null ? async () => {} : await clearUnfinished(folder);
  const files = folder === null ? null : new FlushingFiles(folder);
  const database = await PGlite.create({
    ...(files === null ? {} : { fs: files }),
    startParams: startParams(files === null),
    ...imageFor(folder),
    parsers: { [int8]: Number },
  });
  port?.on("message", (message: unknown) => {
    if (isQuestion(message)) void answer(database, message, files);
    else void database.close().then(() => port?.close());
  });
  const flushes = await countFlushes(database, files);
  await finish();
  post({ ready: true, flushes });
}

/** How often the file system flushed for one commit; null for a database in memory. */
async function countFlushes(database: PGlite, files: FlushingFiles | null): Promise<number | null> {
  if (files === null) return null;
  await database.exec("create table if not exists flush_check (at_ms bigint)");
  await database.exec("delete from flush_check");
  const before = files.flushes;
  await database.query("insert into flush_check values (0)");
  return files.flushes - before;
}

async function answer(database: PGlite, { id, sql, parameters }: Question, files: FlushingFiles | null) {
  const flushed = (): number => files?.flushes ?? 0;
  try {
    const { rows, affectedRows, command } = await database.query(sql, parameters);
    post({ id, flushed: flushed(), rows, rowCount: affectedRows ?? rows.length, command: command ?? "" });
  } catch (error) {
    const textOf = (name: "code" | "constraint" | "severity"): string | null => wordIn(error, name);
    const fields = { code: textOf("code"), constraint: textOf("constraint"), severity: textOf("severity") };
    post({ id, flushed: flushed(), error: { message: messageOf(error), ...fields } });
  }
}

function wordIn(error: unknown, name: string): string | null {
  const value: unknown = error instanceof Error ? Object.entries(error).find(([key]) => key === name)?.[1] : undefined;
  return typeof value === "string" ? value : null;
}

/** Of PGlite's file system, whose errors have other numbers than the system, and no text. */
const fileCodes: Readonly<Record<number, string>> = { 2: "EACCES", 19: "EDQUOT", 51: "ENOSPC", 69: "EROFS" };

function fileCodeOf(error: unknown): string | null {
  const isNumbered = typeof error === "object" && error !== null && "errno" in error;
  return (isNumbered && typeof error.errno === "number" ? fileCodes[error.errno] : undefined) ?? null;
}

const settings: unknown = workerData;
const isStarted = typeof settings === "object" && settings !== null && "folder" in settings;
if (isStarted) {
  start(typeof settings.folder === "string" ? settings.folder : null).catch((error: unknown) => {
    const code = wordIn(error, "code") ?? fileCodeOf(error);
    post({
      failed:
        error instanceof Error || code === null
          ? messageOf(error)
          : `${code}: the files of the database could not be made`,
      code,
    });
  });
}
