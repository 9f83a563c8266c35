import type { Writable } from "node:stream";

/** A stream that people or programs read. */
export interface OutputStream {
  readonly isTerminal: boolean;
  /** Columns of the terminal as it is now; undefined when it is none. */
  columns(): number | undefined;
  /**
   * Resolves when the stream took the text, with null or with why it did not. A reader that went away is no failure:
   * what it did not want to read is dropped.
   */
  write(text: string): Promise<string | null>;
}

/** The world as the command line sees it. */
export interface CliEnvironment {
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  cwd: string;
  stdout: OutputStream;
  stderr: OutputStream;
  /** The version of Node.js that runs this, such as `v22.18.0`. */
  nodeVersion: string;
  /** Aborts at the first SIGINT or SIGTERM. */
  interrupt: AbortSignal;
  /** Takes what is to be done, at once, when the process ends. */
  atExit(callback: () => void): void;
  /** Asks a person, who may leave without an answer (null); null when nobody is there. */
  ask: ((question: string) => Promise<string | null>) | null;
}

/** Wraps a stream of Node. It listens for errors, so that a closed pipe is no crash. */
export function createOutput(stream: Writable & { isTTY?: boolean; columns?: number }): OutputStream {
  let isGone = false;
  stream.on("error", () => {
    isGone = true;
  });
  return {
    isTerminal: stream.isTTY === true,
    // A pseudo terminal without a size says 0.
    columns: () => (stream.columns === 0 ? undefined : stream.columns),
    write: (text) =>
      new Promise((resolve) => {
        if (isGone || text === "") return resolve(null);
        stream.write(text, (error) => {
          const code = error !== null && error !== undefined && "code" in error ? error.code : undefined;
          const isClosed = code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || code === "ECONNRESET";
          resolve(error === null || error === undefined || isClosed ? null : error.message);
        });
      }),
  };
}
