import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";

/**
 * Keeps the first `maxBytes` of a stream and reads the rest away, so that the writer never blocks on a full pipe.
 * `onFull` hears once that there was more.
 */
export function collectOutput(stream: Readable, maxBytes: number, onFull?: () => void): () => string {
  const chunks: Buffer[] = [];
  let kept = 0;
  let isFull = false;
  stream.on("data", (chunk: Buffer) => {
    if (kept + chunk.length > maxBytes && !isFull) {
      isFull = true;
      onFull?.();
    }
    if (kept >= maxBytes) return;
    const piece = chunk.subarray(0, maxBytes - kept);
    chunks.push(piece);
    kept += piece.length;
  });
  // A broken pipe ends the output; what came before it still counts.
  stream.on("error", () => {});
  // The decoder leaves out a character that the bound cut in two.
  return () => new StringDecoder("utf8").write(Buffer.concat(chunks));
}

/** Keeps the last `maxBytes` of a stream. */
export function collectTail(stream: Readable, maxBytes: number): () => string {
  let tail = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]);
    if (tail.length > maxBytes) tail = tail.subarray(tail.length - maxBytes);
  });
  stream.on("error", () => {});
  // A character that the cut has left the end of starts with bytes that continue one.
  return () => {
    let from = 0;
    while (from < 3 && ((tail[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return tail.toString("utf8", from);
  };
}
