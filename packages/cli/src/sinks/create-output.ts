import type { RedactedText, Redactor } from "@kindlm/core";
import { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import type { Writable } from "node:stream";
import { createLineGuard } from "./create-line-guard.js";
import type { Screen } from "../terminal/screen.js";
import type { OutputStream } from "./output-stream.js";

/** A stream of the process behind the redactor. */
export interface GuardedOutput extends OutputStream {
  /** Releases a line that has no end immediately. Call it when nothing more will come. */
  flush(): void;
}

type Written = (error?: Error | null) => void;

/** A stream of this process. One that is a terminal has a size, and reports its changes as the event `resize`. */
export type ProcessOutput = Writable & { isTTY?: boolean; columns?: number; rows?: number };

/**
 * Takes a stream of Node over: from now on everything that anybody in this process writes to it passes the redactor. It
 * listens for errors, so a closed pipe does not crash it. `screen`: what is at the end of the terminal.
 */
export function createOutput(stream: ProcessOutput, redactor: Redactor, screen: Screen): GuardedOutput {
  const writeRaw = stream.write.bind(stream);
  const guard = createLineGuard(redactor.toSink);
  const decoder = new StringDecoder("utf8");
  let isGone = false;
  stream.on("error", () => {
    isGone = true;
  });
  const isTerminal = stream.isTTY === true;
  const send = (pieces: readonly RedactedText[], written?: Written): boolean => {
    const text = pieces.join("");
    return writeRaw(isTerminal ? screen.around(text) : text, written);
  };
  // Modules of the user's print too, with `console` or to the stream itself.
  const write = (chunk: unknown, encoding?: unknown, written?: unknown): boolean => {
    const text =
      typeof chunk === "string" ? chunk : chunk instanceof Uint8Array ? decoder.write(Buffer.from(chunk)) : "";
    const callback = typeof encoding === "function" ? encoding : written;
    return send(
      guard.take(text),
      typeof callback === "function" ? (error) => void Reflect.apply(callback, stream, [error]) : undefined,
    );
  };
  Object.assign(stream, { write });
  return {
    isTerminal,
    isPipe: stream instanceof Socket && !isTerminal,
    // A pseudo terminal without a size says 0.
    columns: () => (stream.columns === 0 ? undefined : stream.columns),
    rows: () => (stream.rows === 0 ? undefined : stream.rows),
    draw: (above, kept) =>
      new Promise((resolve) => {
        const pieces = above === "" ? [] : guard.take(above);
        const lines = kept?.lines.map((line) => redactor.toSink(line, "text"));
        const masked = kept === null || lines === undefined ? null : { ...kept, lines };
        const text = isTerminal ? screen.frame(pieces.join(""), masked) : pieces.join("");
        if (isGone || text === "") resolve();
        else writeRaw(text, () => resolve());
      }),
    onResize(callback) {
      stream.on("resize", callback);
      return () => void stream.off("resize", callback);
    },
    flush: () => void (isGone || send(guard.rest())),
    write: (text, format) =>
      new Promise((resolve) => {
        if (isGone || text === "") return resolve(null);
        send(guard.take(text, format), (error) => {
          const code = error !== null && error !== undefined && "code" in error ? error.code : undefined;
          const isClosed = code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || code === "ECONNRESET";
          resolve(error === null || error === undefined || isClosed ? null : error.message);
        });
      }),
  };
}
