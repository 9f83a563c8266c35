import type { Redactor } from "@kindlm/core";
import { createWriteStream, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { finished } from "node:stream/promises";

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
    mkdirSync(dirname(path), { recursive: true });
  } catch (cause) {
    keep(cause);
  }
  const stream = createWriteStream(path);
  stream.on("error", keep);
  return {
    write: (line) => {
      if (failure === null) stream.write(`${redactor.toSink(line, "json")}\n`);
    },
    close: async () => {
      stream.end();
      await finished(stream).catch(keep);
      return failure;
    },
  };
}
