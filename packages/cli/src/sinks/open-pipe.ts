import { attemptSync } from "@kindlm/core/program";
import { constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** How often, and after which pauses, a pipe is tried that nobody reads from yet. */
const tries = 10;
const pauseMs = 25;
/** A reader that takes nothing for so long is given up on. */
const mostIdleMs = 30_000;

/** Windows has no O_NONBLOCK. */
const known: Partial<typeof constants> = constants;
const flags = constants.O_WRONLY | (known.O_NONBLOCK ?? 0);

/**
 * Opens a named pipe to write into. Rejects if no program reads from it: opening it as a file would wait for one, in a
 * thread that keeps the process from ending. The stream fails if its reader stops reading.
 */
export async function openPipe(path: string, idleMs = mostIdleMs): Promise<Socket> {
  const pipe = new Socket({ fd: await openWhenRead(path), readable: false, writable: true });
  pipe.setTimeout(idleMs, () => {
    // Between two pieces nothing is owed.
    if (pipe.writableLength > 0) pipe.destroy(new Error(`its reader has not read for ${idleMs / 1_000} s`));
  });
  return pipe;
}

async function openWhenRead(path: string): Promise<number> {
  for (let left = tries; left > 0; left -= 1) {
    const opened = attemptSync(
      () => openSync(path, flags),
      (cause) => cause,
    );
    if (opened.success) return opened.data;
    if (!isUnread(opened.error)) throw opened.error;
    // The reader may be about to start.
    await sleep(pauseMs);
  }
  throw new Error("no program reads from this pipe");
}

function isUnread(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ENXIO";
}
