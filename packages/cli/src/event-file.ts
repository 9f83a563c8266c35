import { createWriteStream, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { finished } from "node:stream/promises";
import type { OutputStream } from "./environment.js";

/** A sink for lines that never makes the run wait. */
export interface EventFile {
  write(line: string): void;
  /** Resolves when all is written, with null or with why it was not. */
  close(): Promise<string | null>;
}

/** @param path - absolute, or `-` for stdout */
export function createEventFile(path: string, stdout: OutputStream): EventFile {
  return path === "-" ? toStream(stdout) : toFile(path);
}

function toStream(stdout: OutputStream): EventFile {
  let last: Promise<string | null> = Promise.resolve(null);
  return {
    write: (line) => {
      last = stdout.write(line);
    },
    close: () => last,
  };
}

function toFile(path: string): EventFile {
  let failure: string | null = null;
  const keep = (cause: unknown): void => {
    failure ??= cause instanceof Error ? cause.message : String(cause);
  };
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (cause) {
    keep(cause);
  }
  const stream = createWriteStream(path);
  stream.on("error", keep);
  return {
    write: (line) => {
      if (failure === null) stream.write(line);
    },
    close: async () => {
      stream.end();
      await finished(stream).catch(keep);
      return failure;
    },
  };
}
