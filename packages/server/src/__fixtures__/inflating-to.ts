import { gzipSync } from "node:zlib";

const blockBytes = 1_048_576;

/** What inflates to so many times the same byte, from members of a megabyte: to deflate all of it takes far longer. */
export function inflatingTo(bytes: number, fill = 0): Buffer {
  const block = gzipSync(Buffer.alloc(blockBytes, fill));
  const blocks = Array.from({ length: Math.floor(bytes / blockBytes) }, () => block);
  return Buffer.concat([...blocks, gzipSync(Buffer.alloc(bytes % blockBytes, fill))]);
}
