import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../redaction/redactor.js";
import { toChunks, toPieces, type TimedChunk } from "./stream-pieces.js";

const same = (text: string): string => text;
const bytesOf = (chunks: readonly TimedChunk[]): Buffer => Buffer.concat(chunks.map(([, chunk]) => chunk));

/** The bytes, cut at these places, one millisecond after the other. */
function cutAt(bytes: Uint8Array, places: readonly number[]): TimedChunk[] {
  const ends = [...new Set([...places.map((place) => place % (bytes.length + 1)), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  return ends.map((end, index) => [index + 1, bytes.subarray(ends[index - 1] ?? 0, end)]);
}

describe("the pieces of a stream", () => {
  it("are its events, however the network cut them", () => {
    const text = 'data: {"a":"Grüße"}\n\nevent: x\ndata: 2\n\ndata: [DONE]\n\n';
    fc.assert(
      fc.property(fc.array(fc.nat(200)), (places) => {
        const pieces = toPieces(cutAt(Buffer.from(text), places), same);
        expect(pieces?.pieces?.map(([, piece]) => piece)).toEqual([
          'data: {"a":"Grüße"}\n\n',
          "event: x\ndata: 2\n\n",
          "data: [DONE]\n\n",
        ]);
      }),
    );
  });

  it("come when their last byte does", () => {
    const chunks: TimedChunk[] = [
      [10.0004, Buffer.from('{"a":')],
      [20, Buffer.from('1}\n{"b":2}\n{"c"')],
      [30, Buffer.from(":3}")],
    ];
    expect(toPieces(chunks, same)?.pieces).toEqual([
      [20, '{"a":1}\n'],
      [20, '{"b":2}\n'],
      [30, '{"c":3}'],
    ]);
  });

  it("give back the very bytes, whatever they are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.array(fc.nat(50)), (bytes, places) => {
        const pieces = toPieces(cutAt(bytes, places), same);
        expect(pieces === null ? null : bytesOf(toChunks(pieces, same))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it("hold no secret that the network cut in two, and none at all where it cannot be taken out", () => {
    const { redact } = createRedactor(["the-secret-value"]);
    const text = Buffer.from("data: the-secret-value!\n\ndata: 2\n\n");
    expect(toPieces(cutAt(text, [10, 15]), redact)?.pieces?.map(([, piece]) => piece)).toEqual([
      "data: [redacted]!\n\n",
      "data: 2\n\n",
    ]);
    expect(toPieces([[1, Buffer.concat([Buffer.from([0xff]), text])]], redact)).toBeNull();
  });
});
