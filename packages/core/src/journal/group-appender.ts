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
 * much for one line as for many; and secrets are looked for in all of them at once. After the first failure nothing more is written.
 */
export interface GroupAppender {
  /** Resolves when the line is on the disk. */
  append(line: string, urgency: "soon" | "now"): Promise<Result<LinePlace>>;
  /** Resolves when everything that was appended is on the disk, or cannot be. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * How long a line waits for others, milliseconds. Nobody waits for it: the end of the run flushes immediately. Longer saves
 * flushes, but lines that wait outlive garbage collections, which costs more.
 */
const lingerMs = 5;

/** A string cannot hold more than half a gigabyte, and masking creates a second one. */
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
  return opened.success ? success(new FileAppender(opened.data, shown, keptBytes, ports)) : opened;
}

class FileAppender implements GroupAppender {
  readonly #handle: FileHandle;
  readonly #shown: string;
  readonly #ports: AppenderPorts;
  #end: number;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;
  #isUrgent = false;
  #cancelLinger: (() => void) | null = null;
  #broken: Result<never> | null = null;

  constructor(handle: FileHandle, shown: string, startAt: number, ports: AppenderPorts) {
    this.#handle = handle;
    this.#shown = shown;
    this.#end = startAt;
    this.#ports = ports;
  }

  append(line: string, urgency: "soon" | "now"): Promise<Result<LinePlace>> {
    if (this.#broken !== null) return Promise.resolve(this.#broken);
    const done = new Promise<Result<LinePlace>>((settle) => {
      this.#waiting.push({ line, settle });
    });
    if (urgency === "now") this.#start();
    else this.#linger();
    return done;
  }

  async flush(): Promise<void> {
    // What is written already may leave later lines behind it.
    while (this.#waiting.length > 0) {
      this.#start();
      await this.#writing;
    }
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#attempt(() => this.#handle.close());
  }

  readonly #start = (): void => {
    this.#cancelLinger?.();
    this.#cancelLinger = null;
    this.#isUrgent = true;
    this.#writing ??= this.#drain();
  };

  #linger(): void {
    if (this.#writing === null) this.#cancelLinger ??= this.#ports.clock.after(lingerMs, this.#start);
  }

  async #drain(): Promise<void> {
    while (this.#isUrgent && this.#waiting.length > 0) {
      const lines = takeGroup(this.#waiting);
      this.#waiting = this.#waiting.slice(lines.length);
      this.#isUrgent = this.#waiting.length > 0;
      // What comes meanwhile makes the next group.
      if (this.#broken === null) await this.#writeOut(lines);
      else for (const { settle } of lines) settle(this.#broken);
    }
    this.#writing = null;
    if (this.#waiting.length > 0) this.#linger();
  }

  async #writeOut(lines: readonly Waiting[]): Promise<void> {
    let said = "";
    let text = "";
    let bytes = 0;
    const written = await this.#attempt(async () => {
      said = lines.map(({ line }) => `${line}\n`).join("");
      text = this.#ports.redactor.redactJson(said);
      const block = Buffer.from(text);
      bytes = block.length;
      await writeWhole(this.#handle, block, this.#end);
      await this.#handle.datasync();
    });
    if (!written.success) return this.#fail(lines, failure(written.error));
    const masked = text === said ? null : text.split("\n");
    // Mostly each character is one byte, and to count them takes as long as to write them.
    const lengthOf = bytes === text.length ? (line: string) => line.length : Buffer.byteLength;
    lines.forEach(({ line, settle }, index) => {
      const length = lengthOf(masked?.[index] ?? line);
      settle(success({ offset: this.#end, length }));
      this.#end += length + 1;
    });
  }

  async #fail(lines: readonly Waiting[], problem: Result<never>): Promise<void> {
    this.#broken = problem;
    // Half a line would be all that a later reader could complain of.
    await this.#attempt(() => this.#handle.truncate(this.#end));
    for (const { settle } of lines) settle(problem);
  }

  #attempt<T>(action: () => Promise<T>): Promise<Result<T>> {
    return attempt(action, (cause) => writeError(this.#shown, cause));
  }
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
