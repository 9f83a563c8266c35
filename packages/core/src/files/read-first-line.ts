import type { FileHandle } from "node:fs/promises";
import { attempt } from "../errors/boundary.js";
import { mebibyte, openForReading } from "./open-for-reading.js";
import { readError } from "./store-error.js";

const blockBytes = 65_536;
const lineFeed = 10;
const mostBytes = 16 * mebibyte;

/** The first line of a file, without its line feed; null where there is no whole line that can be read. */
export async function readFirstLine(path: string): Promise<string | null> {
  const toError = (cause: unknown) => readError(path, cause);
  const opened = await attempt(() => openForReading(path), toError);
  if (!opened.success) return null;
  const file = opened.data;
  const line = await attempt(() => readLine(file), toError);
  await attempt(() => file.close(), toError);
  return line.success ? line.data : null;
}

async function readLine(file: FileHandle): Promise<string | null> {
  const blocks: Buffer[] = [];
  for (let offset = 0; offset < mostBytes;) {
    const room = Buffer.allocUnsafe(blockBytes);
    const { bytesRead } = await file.read(room, 0, blockBytes, offset);
    if (bytesRead === 0) return null;
    const end = room.subarray(0, bytesRead).indexOf(lineFeed);
    blocks.push(room.subarray(0, end === -1 ? bytesRead : end));
    if (end !== -1) return Buffer.concat(blocks).toString("utf8");
    offset += bytesRead;
  }
  return null;
}
