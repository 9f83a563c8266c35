import { deflateRawSync, inflateRawSync } from "node:zlib";

/** JSON, compressed. */
export function compressText(json: string): Buffer {
  return deflateRawSync(json, { level: 3 });
}

export function inflateDocument(bytes: Uint8Array): unknown {
  return JSON.parse(inflateRawSync(bytes).toString("utf8"));
}
