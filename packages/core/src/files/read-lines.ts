import { createReadStream } from "node:fs";

/** Where a line stands in its file, in bytes, its end not included. */
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

/** The lines of a file of any size, or of a stream. Rejects where it can not be read. */
export async function* readLines(source: string | AsyncIterable<Uint8Array>): AsyncIterable<PlacedLine> {
  const chunks =
    typeof source === "string"
      ? (createReadStream(source, { highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>)
      : source;
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  for await (const chunk of chunks) {
    const block = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = block.indexOf(lineFeed); end !== -1; end = block.indexOf(lineFeed, from)) {
      yield { line: block.toString("utf8", from, end), place: { offset, length: end - from }, isWhole: true };
      offset += end - from + 1;
      from = end + 1;
    }
    rest = block.subarray(from);
  }
  if (rest.length > 0) yield { line: rest.toString("utf8"), place: { offset, length: rest.length }, isWhole: false };
}
