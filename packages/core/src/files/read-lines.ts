import { attempt } from "../errors/boundary.js";
import { mebibyte, openForReading, UnreadableFile } from "./open-for-reading.js";
import { readError } from "./store-error.js";

/** The place of a line in its file, in bytes, its end not included. */
export interface LinePlace {
  offset: number;
  length: number;
}

export interface PlacedLine {
  line: string;
  place: LinePlace;
  /** False for what stands behind the last line feed. */
  isWhole: boolean;
}

const lineFeed = 10;
/** More than any line that is meant: a trial with its pictures has a few MiB. An endless file is not a line. */
const mostLineBytes = 64 * mebibyte;
/** Of what is read at once. Some files of the system are of no size until they are read. */
const fewestBytes = 16_384;

/** The lines of a file of any size, or of a stream. Rejects where it cannot be read, and for a line that is too long. */
export async function* readLines(
  source: string | AsyncIterable<Uint8Array>,
  most = mostLineBytes,
): AsyncIterable<PlacedLine> {
  const chunks = typeof source === "string" ? await chunksOf(source) : source;
  // What is there of a line that goes on in the next chunk.
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let offset = 0;
  const take = (last: Uint8Array, isWhole: boolean): PlacedLine => {
    const length = heldBytes + last.length;
    const bytes = heldBytes === 0 ? bufferOf(last) : Buffer.concat([...held, last], length);
    const placed = { line: bytes.toString("utf8"), place: { offset, length }, isWhole };
    offset += length + 1;
    held = [];
    heldBytes = 0;
    return placed;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      yield take(chunk.subarray(from, end), true);
      from = end + 1;
    }
    if (from === chunk.length) continue;
    held.push(from === 0 ? chunk : chunk.subarray(from));
    heldBytes += chunk.length - from;
    if (heldBytes > most) await Promise.reject(new UnreadableFile(`has a line longer than ${most / mebibyte} MiB`));
  }
  if (heldBytes > 0) yield take(new Uint8Array(), false);
}

/** As much at once as the file has: its stream makes such a buffer for each read, also for the one that finds the end. */
async function chunksOf(path: string): Promise<AsyncIterable<Uint8Array>> {
  const file = await openForReading(path);
  const found = await attempt(
    () => file.stat(),
    (cause) => readError(path, cause),
  );
  const size = found.success ? found.data.size : mebibyte;
  return file.createReadStream({ highWaterMark: Math.min(mebibyte, Math.max(fewestBytes, size)) });
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
