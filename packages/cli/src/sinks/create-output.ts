import type { RedactedText, Redactor } from "@kindlm/core";
import { StringDecoder } from "node:string_decoder";
import type { Writable } from "node:stream";
import { createLineGuard } from "./create-line-guard.js";
import type { OutputStream } from "./output-stream.js";

/** A stream of the process behind the redactor. */
export interface GuardedOutput extends OutputStream {
  /** Releases a line that has no end immediately. Call it when nothing more will come. */
  flush(): void;
}

type Written = (error?: Error | null) => void;

/**
 * Takes a stream of Node over: from now on everything that anybody in this process writes to it passes the redactor. It
 * listens for errors, so a closed pipe does not crash it.
 */
export function createOutput(
  stream: Writable & { isTTY?: boolean; columns?: number },
  redactor: Redactor,
): GuardedOutput {
  const writeRaw = stream.write.bind(stream);
  const guard = createLineGuard(redactor.toSink);
  const decoder = new StringDecoder("utf8");
  let isGone = false;
  stream.on("error", () => {
    isGone = true;
  });
  const send = (pieces: readonly RedactedText[], written?: Written): boolean => writeRaw(pieces.join(""), written);
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
    isTerminal: stream.isTTY === true,
    // A pseudo terminal without a size says 0.
    columns: () => (stream.columns === 0 ? undefined : stream.columns),
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
