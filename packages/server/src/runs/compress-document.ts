import { deflateRawSync, inflateRawSync } from "node:zlib";

/** A value as compressed JSON. */
export function compressDocument(value: unknown): Buffer {
  return deflateRawSync(JSON.stringify(value), { level: 3 });
}

export function inflateDocument(bytes: Uint8Array): unknown {
  return JSON.parse(inflateRawSync(bytes).toString("utf8"));
}
