import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { privateFile } from "../files/private-modes.js";
import { attempt } from "../errors/boundary.js";
import type { LinePlace } from "../files/read-lines.js";
import { writeError } from "../files/store-error.js";
import type { Redactor } from "../redaction/redactor.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";

export type { LinePlace };

/**
 * Appends lines of JSON to a file, without the secrets in them. Lines that come close together share one write and one flush, since a flush costs about as
 * much for one line as for many; and secrets are looked for in all of them at once. After the first failure nothing is written any more.
 */
export interface GroupAppender {
  /** Resolves when the line is on the disk. */
  append(line: string, urgency: "soon" | "now"): Promise<Result<LinePlace>>;
  /** Resolves when everything that was handed in is on the disk, or cannot be. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * How long a line waits for others, milliseconds. Nobody waits for it: the end of the run flushes at once. Longer saves
 * flushes, but lines that wait outlive garbage collections, which costs more.
 */
const lingerMs = 5;

/** A text cannot hold more than half a gigabyte, and masking makes another one of it. */
const mostGroupChars = 64 * 1_048_576;

interface AppenderPorts {
  clock: Clock;
  redactor: Pick<Redactor, "redactJson">;
}

interface Waiting {
  line: string;
  settle(outcome: Result<LinePlace>): void;
}

/** Opens the file, making it where there is none, cut off behind `keptBytes`. Fails with STORE_WRITE_ERROR. */
export async function openGroupAppender(
  path: string,
  shown: string,
  keptBytes: number,
  ports: AppenderPorts,
): Promise<Result<GroupAppender>> {
  const opened = await attempt(
    async () => {
      // Without O_APPEND the place of each write is ours, and what a failed write left behind is written over.
      const handle = await open(path, constants.O_RDWR | constants.O_CREAT, privateFile);
      await handle.truncate(keptBytes);
      return handle;
    },
    (cause) => writeError(shown, cause),
  );
  return opened.success ? success(createAppender(opened.data, shown, keptBytes, ports)) : opened;
}

function createAppender(
  handle: FileHandle,
  shown: string,
  startAt: number,
  { clock, redactor }: AppenderPorts,
): GroupAppender {
  let end = startAt;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | null = null;
  let isUrgent = false;
  let cancelLinger: (() => void) | null = null;
  let broken: Result<never> | null = null;

  const writeOut = async (lines: readonly Waiting[]): Promise<void> => {
    let said = "";
    let text = "";
    const written = await attempt(
      async () => {
        said = lines.map(({ line }) => `${line}\n`).join("");
        text = redactor.redactJson(said);
        const block = Buffer.from(text);
        await writeWhole(handle, block, end);
        await handle.datasync();
      },
      (cause) => writeError(shown, cause),
    );
    if (!written.success) {
      broken = failure(written.error);
      // Half a line would be all that a later reader could complain of.
      await attempt(
        () => handle.truncate(end),
        (cause) => writeError(shown, cause),
      );
      for (const { settle } of lines) settle(broken);
      return;
    }
    const masked = text === said ? null : text.split("\n");
    lines.forEach(({ line, settle }, index) => {
      const length = Buffer.byteLength(masked?.[index] ?? line);
      settle(success({ offset: end, length }));
      end += length + 1;
    });
  };

  const drain = async (): Promise<void> => {
    while (isUrgent && waiting.length > 0) {
      const lines = takeGroup(waiting);
      waiting = waiting.slice(lines.length);
      isUrgent = waiting.length > 0;
      if (broken === null) {
        // What comes meanwhile makes the next group.
        await writeOut(lines);
      } else for (const { settle } of lines) settle(broken);
    }
    writing = null;
    if (waiting.length > 0) linger();
  };

  const start = (): void => {
    cancelLinger?.();
    cancelLinger = null;
    isUrgent = true;
    writing ??= drain();
  };

  const linger = (): void => {
    if (writing === null) cancelLinger ??= clock.after(lingerMs, start);
  };

  const flush = async (): Promise<void> => {
    // What is written already may leave later lines behind it.
    while (waiting.length > 0) {
      start();
      await writing;
    }
    await writing;
  };

  return {
    append(line, urgency) {
      if (broken !== null) return Promise.resolve(broken);
      const done = new Promise<Result<LinePlace>>((settle) => {
        waiting.push({ line, settle });
      });
      if (urgency === "now") start();
      else linger();
      return done;
    },
    flush,
    async close() {
      await flush();
      await attempt(
        () => handle.close(),
        (cause) => writeError(shown, cause),
      );
    },
  };
}

/** As many lines as fit into one text; at least one. */
function takeGroup(waiting: readonly Waiting[]): readonly Waiting[] {
  let chars = 0;
  const end = waiting.findIndex(({ line }, index) => {
    chars += line.length;
    return index > 0 && chars > mostGroupChars;
  });
  return end === -1 ? waiting : waiting.slice(0, end);
}

/** A disk that is nearly full takes a part of a write, and says so only at the next. */
async function writeWhole(handle: FileHandle, block: Buffer, position: number): Promise<void> {
  let done = 0;
  while (done < block.length) {
    const { bytesWritten } = await handle.write(block, done, block.length - done, position + done);
    done += bytesWritten;
  }
}
