import type { ExchangeLine } from "./cassette-lines.js";
import { isRecord } from "../values/json.js";
import { bodyRoom, parseJson } from "../values/parse-json.js";

/** The JSON of a server-sent event, or of a line. */
const payload = /^(?:data:[ \t]?)?(\{.*\})[ \t]*\r?$/m;

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

/** One text of one event, and how to put another in its place. */
interface Leaf {
  text: string;
  put(text: string): void;
}

/**
 * A model that says a secret says it token by token, so that no event of the stream has it whole. Strings in the
 * same place of successive events are read as one; where that holds a secret, the first has it masked and the
 * others are empty. All other events stay as they are.
 */
export function withoutSpreadSecrets(parts: readonly string[], clean: (text: string) => string): readonly string[] {
  const events = parts.map((part) => {
    const written = payload.exec(part)?.[1] ?? "";
    const parsed = parseJson(written, bodyRoom);
    return { part, written, value: parsed.success ? parsed.data : null, isChanged: false };
  });
  const places = new Map<string, Leaf[]>();
  for (const event of events) {
    visitTexts(event.value, indexOf(event.value, 0), (place, text, put) => {
      const leaf: Leaf = {
        text,
        put(masked) {
          put(masked);
          event.isChanged = true;
        },
      };
      const before = places.get(place);
      if (before === undefined) places.set(place, [leaf]);
      else before.push(leaf);
    });
  }
  for (const leaves of places.values()) maskTogether(leaves, clean);
  return events.map(({ part, written, value, isChanged }) =>
    isChanged ? part.replace(written, () => JSON.stringify(value)) : part,
  );
}

function maskTogether(leaves: readonly Leaf[], clean: (text: string) => string): void {
  const [first] = leaves;
  // What every event repeats, such as the name of the model, is not split text.
  if (first === undefined || leaves.every(({ text }) => text === first.text)) return;
  const together = clean(leaves.map(({ text }) => text).join(""));
  if (together === leaves.map(({ text }) => clean(text)).join("")) return;
  leaves.forEach(({ put }, order) => put(order === 0 ? together : ""));
}

function visitTexts(
  value: unknown,
  place: string,
  found: (place: string, text: string, put: (text: string) => void) => void,
): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const at = `${place}/${Array.isArray(value) ? indexOf(item, key) : key}`;
    if (typeof item === "string") found(at, item, (text) => void Reflect.set(value, key, text));
    else visitTexts(item, at, found);
  }
}

/** Parts of an answer that come side by side have numbers; their position in an event says nothing. */
function indexOf(item: unknown, position: string | number): string {
  return String(isRecord(item) && typeof item["index"] === "number" ? item["index"] : position);
}
