import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { afterFile } from "./clean-up.js";

export interface Lifeline {
  /** Goes first in a shell script: what the script starts holds the line, too, for as long as it runs. */
  readonly hold: string;
  /** Whether one of the programs is left, whoever its parent is by now. */
  isHeld(): boolean;
}

/** A line that shell programs hold until they end or are killed: a FIFO that they open for writing. */
export function makeLifeline(folder: string): Lifeline {
  const fifo = `${folder}/lifeline`;
  execFileSync("mkfifo", [fifo]);
  const line = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  afterFile(() => closeSync(line));
  return {
    hold: `exec 9>'${fifo}'\n`,
    isHeld() {
      try {
        // The end of the file: nobody has it open for writing.
        return readSync(line, Buffer.alloc(1)) > 0;
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "EAGAIN") return true;
        throw error;
      }
    },
  };
}
