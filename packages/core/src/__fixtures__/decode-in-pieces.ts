import type { Decoded, StreamDecoder } from "../providers/http/streaming/stream-decoder.js";

/** All that a decoder finds in bytes which reach it cut at the given places, up to its first problem. */
export function decodeInPieces(decoder: StreamDecoder, bytes: Buffer, cuts: readonly number[]): Decoded {
  const places = [...cuts.filter((place) => place < bytes.length), 0, bytes.length].toSorted((a, b) => a - b);
  const events = [];
  for (const [index, start] of places.slice(0, -1).entries()) {
    const found = decoder.push(bytes.subarray(start, places[index + 1]));
    events.push(...found.events);
    if (found.problem !== null) return { events, problem: found.problem };
  }
  const found = decoder.end();
  return { events: [...events, ...found.events], problem: found.problem };
}
