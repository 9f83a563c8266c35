import { closeSync, fstatSync, readSync } from "node:fs";
import { attemptSync } from "../errors/boundary.js";
import { openForReadingSync } from "../files/open-for-reading.js";
import { readError } from "../files/store-error.js";
import { failure, success, type Result } from "../result.js";
import type { LinePlace } from "./group-appender.js";

/** How much is read at once, bytes: a report goes through its trials about in the order in which they were written. */
const inOrderBytes = 1_048_576;

/** Reads single lines of a file of any size. */
export interface LineReader {
  /** Fails with STORE_CORRUPT. */
  read(place: LinePlace): Result<string>;
}

/**
 * `windowBytes`: less is read at once where the lines are asked for in another order than that of the file.
 *
 * The file is open only while it is read, so that nobody has to close a result. Reading blocks: going through the
 * thread pool for each of very many small lines would take several times as long as the reading.
 */
export function createLineReader(path: string, windowBytes = inOrderBytes): LineReader {
  let start = 0;
  let held: Buffer = Buffer.alloc(0);

  const readWindow = (offset: number, size: number): Result<Buffer> => {
    const opened = openForReadingSync(path);
    if (!opened.success) return failure(readError(path, opened.error));
    const file = opened.data;
    return attemptSync(
      () => {
        const read = attemptSync(
          () => readUpTo(file, offset, size),
          () => Buffer.alloc(0),
        );
        closeSync(file);
        return read.success ? read.data : read.error;
      },
      (cause) => readError(path, cause),
    );
  };

  return {
    read({ offset, length }) {
      if (offset < start || offset + length > start + held.length) {
        const window = readWindow(offset, Math.max(windowBytes, length));
        if (!window.success) return window;
        held = window.data;
        start = offset;
      }
      return success(held.toString("utf8", offset - start, offset - start + length));
    },
  };
}

/** Makes room for no more than the file has: most runs are small, and memory that is given away is collected. */
function readUpTo(file: number, offset: number, size: number): Buffer {
  const room = Buffer.allocUnsafe(Math.min(size, Math.max(0, fstatSync(file).size - offset)));
  return room.subarray(0, readSync(file, room, 0, room.length, offset));
}
