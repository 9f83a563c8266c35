import type { ExchangeLine } from "./cassette-lines.js";
import { withoutSpreadSecrets } from "./spread-secrets.js";

/** A piece of a body as it came, and when: milliseconds since the request was sent. */
export type TimedChunk = readonly [ms: number, chunk: Uint8Array];

type Pieces = Pick<ExchangeLine, "pieces" | "bytes">;

/** Server-sent events end at an empty line, other messages at the end of theirs. */
const eventEnd = /(?<=\r?\n\r?\n)/;
const lineEnd = /(?<=\n)/;

/**
 * The chunks of a stream, cut where its messages end: how the network cuts them is chance, and no secret is to hide in
 * two of them. Each piece has the time at which its last byte came. Null where a secret cannot be taken out.
 */
export function toPieces(chunks: readonly TimedChunk[], clean: (text: string) => string): Pieces | null {
  const whole = Buffer.concat(chunks.map(([, chunk]) => chunk));
  const text = whole.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(whole)) return toBytes(chunks, whole, clean);
  const parts = text.split(/\r?\n\r?\n/.test(text) ? eventEnd : lineEnd).filter((part) => part !== "");
  let end = 0;
  const shown = withoutSpreadSecrets(parts, clean);
  const pieces = parts.map((part, order): readonly [number, string] => {
    end += Buffer.byteLength(part);
    return [timeOf(end, chunks), clean(shown[order] ?? part)];
  });
  return { pieces };
}

/** `fill`: puts back the parts that were removed. */
export function toChunks({ pieces = [], bytes = [] }: Pieces, fill: (text: string) => string): readonly TimedChunk[] {
  return [
    ...pieces.map(([ms, text]): TimedChunk => [ms, Buffer.from(fill(text), "utf8")]),
    ...bytes.map(([ms, text]): TimedChunk => [ms, Buffer.from(text, "base64")]),
  ];
}

/** Nothing can be removed from data that is not text without breaking it. */
function toBytes(chunks: readonly TimedChunk[], whole: Buffer, clean: (text: string) => string): Pieces | null {
  const shown = whole.toString("latin1");
  if (clean(shown) !== shown) return null;
  const bytes = chunks.map(([ms, chunk]): readonly [number, string] => [
    roundedMs(ms),
    Buffer.from(chunk).toString("base64"),
  ]);
  return bytes.every(([, text]) => clean(text) === text) ? { bytes } : null;
}

function timeOf(end: number, chunks: readonly TimedChunk[]): number {
  let length = 0;
  for (const [ms, chunk] of chunks) {
    length += chunk.length;
    if (length >= end) return roundedMs(ms);
  }
  return roundedMs(chunks.at(-1)?.[0] ?? 0);
}

/** As finely as reports show it. */
export function roundedMs(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
