import { attemptSync, messageOf } from "@kindlm/core/program";
import type { Redactor } from "@kindlm/core";
import { createWriteStream, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { PassThrough, type Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { openPipe } from "./open-pipe.js";

/** A file of JSON lines that never makes the run wait. */
export interface LineFile {
  /** Takes one value as `JSON.stringify` writes it, without a line feed. */
  write(line: string): void;
  /** Resolves when all is written, with null or with why it was not. */
  close(): Promise<string | null>;
}

/** @param path - absolute; the folders above it are made */
export function openLineFile(path: string, redactor: Redactor): LineFile {
  let failure: string | null = null;
  const keep = (cause: unknown): void => {
    failure ??= cause instanceof Error ? cause.message : String(cause);
  };
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (cause) {
    keep(cause);
  }
  const { stream, written } = openStream(path);
  const done = written.catch(keep);
  return {
    write: (line) => {
      if (failure === null) stream.write(`${redactor.toSink(line, "json")}\n`);
    },
    close: async () => {
      stream.end();
      await done;
      return failure;
    },
  };
}

/** `written` resolves when all is written. */
function openStream(path: string): { stream: Writable; written: Promise<void> } {
  const present = attemptSync(() => statSync(path), messageOf);
  if (!present.success || !present.data.isFIFO()) {
    const file = createWriteStream(path, { mode: 0o600 });
    return { stream: file, written: finished(file) };
  }
  // Whoever reads from the pipe may begin later than the run.
  const held = new PassThrough();
  return { stream: held, written: openPipe(path).then((pipe) => pipeline(held, pipe)) };
}
