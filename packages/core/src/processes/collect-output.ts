import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";

/** Keeps the first `maxBytes` of a stream and reads the rest away, so that the writer never blocks on a full pipe. */
export function collectOutput(stream: Readable, maxBytes: number): () => string {
  const chunks: Buffer[] = [];
  let kept = 0;
  stream.on("data", (chunk: Buffer) => {
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
