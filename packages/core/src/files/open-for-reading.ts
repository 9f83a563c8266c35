import { closeSync, constants, fstatSync, openSync, statSync, type Stats } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";
import { attempt, attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";

/** Why something is not read although it is there. */
export class UnreadableFile extends Error {
  /** Completes a sentence that starts with the name of the file, such as `is a folder`. */
  readonly reason: string;

  constructor(reason: string) {
    super(`it ${reason}`);
    this.reason = reason;
  }
}

/** Opening a named pipe waits for its writer, and a thread that waits keeps the process from ending. Windows has no such flag; undefined adds none. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens a file. Rejects for everything that is not a file: a device may never end, a pipe may never begin. All files that
 * KindLM reads are opened here, by `readBytes`, or as lines.
 */
export async function openForReading(path: string): Promise<FileHandle> {
  const { file } = await openWithSize(path);
  return file;
}

async function openWithSize(path: string): Promise<{ file: FileHandle; size: number }> {
  const refused = whyRefused(await stat(path));
  if (refused !== null) await Promise.reject(refused);
  const file = await open(path, flags);
  // Something else may have taken its place.
  const checked = await attempt(() => sizeOf(file), toError);
  if (!checked.success) await file.close();
  return checked.success ? { file, size: checked.data } : Promise.reject(checked.error.cause);
}

async function sizeOf(file: FileHandle): Promise<number> {
  const found = await file.stat();
  const refused = whyRefused(found);
  return refused === null ? found.size : Promise.reject(refused);
}

/** Rejects for what is neither a file nor a folder, without opening it: others read it, or run it. */
export async function checkPlace(path: string): Promise<void> {
  const found = await stat(path);
  const refused = found.isDirectory() ? null : whyRefused(found);
  if (refused !== null) await Promise.reject(refused);
}

/** As `openForReading`, for those who must not wait; a file descriptor. */
export function openForReadingSync(path: string): Result<number, Error> {
  const opened = attemptSync(() => {
    const refused = whyRefused(statSync(path));
    return refused ?? openSync(path, flags);
  }, asError);
  if (!opened.success) return opened;
  const file = opened.data;
  if (typeof file !== "number") return failure(file);
  const checked = attemptSync(() => whyRefused(fstatSync(file)), asError);
  const problem = checked.success ? checked.data : checked.error;
  if (problem === null) return success(file);
  closeSync(file);
  return failure(problem);
}

/** The whole of a file of at most `most` bytes. Rejects as `openForReading` does, and if the file is longer. */
export async function readBytes(path: string, most: number): Promise<Buffer> {
  const { file, size } = await openWithSize(path);
  const read = await attempt(() => readAll(file, size, most), toError);
  await file.close();
  return read.success ? read.data : Promise.reject(read.error.cause);
}

/** The same as UTF-8. */
export async function readText(path: string, most: number): Promise<string> {
  return (await readBytes(path, most)).toString("utf8");
}

export const mebibyte = 1024 * 1024;

function tooLarge(most: number): UnreadableFile {
  return new UnreadableFile(`is larger than ${most / mebibyte} MiB`);
}

/** Some files of the system, such as those of `/proc`, are of no size until they are read. */
async function readAll(file: FileHandle, size: number, most: number): Promise<Buffer> {
  if (size > most) await Promise.reject(tooLarge(most));
  let room = Buffer.allocUnsafe(size + 1);
  for (let length = 0; ;) {
    const { bytesRead } = await file.read(room, length, room.length - length);
    length += bytesRead;
    // A byte more was asked for, so that a file of just its size has ended: each call is a trip to another thread.
    if (bytesRead === 0 || length === size) return room.subarray(0, length);
    if (length > most) await Promise.reject(tooLarge(most));
    if (length === room.length) room = Buffer.concat([room], Math.min(most + 1, Math.max(65_536, room.length * 2)));
  }
}

function whyRefused(found: Stats): UnreadableFile | null {
  if (found.isFile()) return null;
  if (found.isDirectory()) return new UnreadableFile("is a folder");
  const kind = found.isFIFO() ? "pipe" : found.isSocket() ? "socket" : "device";
  return new UnreadableFile(`is a ${kind}, not a file`);
}

function toError(cause: unknown): KindlmError {
  return kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause });
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
