import { EventStreamCodec } from "@smithy/core/event-streams";
import { fromUtf8, toUtf8 } from "@smithy/core/serde";
import * as fc from "fast-check";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { StreamEvent } from "../../wire-format.js";
import { createAwsEventStreamDecoder } from "./create-decoder.js";
import type { Decoded } from "./stream-decoder.js";

/** AWS's own encoder. */
const codec = new EventStreamCodec(toUtf8, fromUtf8);
type HeaderValues = Parameters<typeof codec.encode>[0]["headers"];

function frame(headers: Readonly<Record<string, string>>, payload: string, more: HeaderValues = {}): Buffer {
  const texts = Object.entries(headers).map(([name, value]) => [name, { type: "string", value }] as const);
  return Buffer.from(codec.encode({ headers: { ...more, ...Object.fromEntries(texts) }, body: fromUtf8(payload) }));
}

function eventFrame(name: string, data: unknown): Buffer {
  const headers = { ":message-type": "event", ":event-type": name, ":content-type": "application/json" };
  return frame(headers, JSON.stringify(data));
}

/** A frame with right checksums around any bytes. */
function handmade(headers: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(12), headers, Buffer.alloc(4)]);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(headers.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

function decode(chunks: readonly Buffer[]): Decoded {
  const decoder = createAwsEventStreamDecoder();
  const events: StreamEvent[] = [];
  for (const chunk of chunks) {
    const decoded = decoder.push(chunk);
    events.push(...decoded.events);
    if (decoded.problem !== null) return { events, problem: decoded.problem };
  }
  return { events, problem: decoder.end().problem };
}

/** The bytes cut at these places. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const someEvents = fc.array(
  fc.record({ name: fc.stringMatching(/^[a-zA-Z]{1,20}$/), data: fc.dictionary(fc.string(), fc.jsonValue()) }),
  { minLength: 1, maxLength: 5 },
);

/** As it arrives: what JSON does not keep, such as -0, is gone. */
const arrived = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("createAwsEventStreamDecoder", () => {
  it("gives the same events wherever the bytes are cut", () => {
    fc.assert(
      fc.property(someEvents, fc.array(fc.nat()), (events, places) => {
        const bytes = Buffer.concat(events.map(({ name, data }) => eventFrame(name, data)));
        expect(arrived(decode(cutAt(bytes, places)))).toEqual({ events: arrived(events), problem: null });
      }),
    );
  });

  it("takes a flipped bit for a broken stream, and gives no event of that frame or a later one", () => {
    fc.assert(
      fc.property(someEvents, fc.nat(), fc.nat(), fc.array(fc.nat()), (events, frameIndex, bit, places) => {
        const frames = events.map(({ name, data }) => eventFrame(name, data));
        const index = frameIndex % frames.length;
        const hit = frames[index] ?? Buffer.alloc(0);
        const at = bit % (hit.length * 8);
        hit.writeUInt8(hit.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3);
        const decoded = decode(cutAt(Buffer.concat(frames), places));
        expect(decoded.problem).toBe("a stream that was damaged on its way");
        expect(decoded.events).toHaveLength(index);
      }),
    );
  });

  it("says nothing of a frame that is cut off", () => {
    const bytes = Buffer.concat([eventFrame("a", {}), eventFrame("b", {})]);
    expect(decode([bytes.subarray(0, -1)])).toEqual({ events: [{ name: "a", data: {} }], problem: null });
  });

  it("stays broken after the first problem", () => {
    const decoder = createAwsEventStreamDecoder();
    const { problem } = decoder.push(Buffer.from("HTTP/1.1 200 OK\r\n"));
    expect(problem).toBe("a stream that was damaged on its way");
    expect(decoder.push(eventFrame("a", {}))).toEqual({ events: [], problem });
    expect(decoder.end()).toEqual({ events: [], problem });
  });

  it("reads past headers of every other type", () => {
    const others: HeaderValues = {
      yes: { type: "boolean", value: true },
      no: { type: "boolean", value: false },
      byte: { type: "byte", value: 1 },
      short: { type: "short", value: 2 },
      integer: { type: "integer", value: 3 },
      bytes: { type: "binary", value: new Uint8Array([1, 2, 3]) },
      time: { type: "timestamp", value: new Date(0) },
      id: { type: "uuid", value: "01234567-89ab-cdef-0123-456789abcdef" },
    };
    const bytes = frame({ ":message-type": "event", ":event-type": "a" }, "{}", others);
    expect(decode([bytes])).toEqual({ events: [{ name: "a", data: {} }], problem: null });
  });

  it.each([
    [
      "an exception with its name",
      frame({ ":message-type": "exception", ":exception-type": "throttlingException" }, '{"message":"Too many"}'),
      { name: "throttlingException", data: { __type: "throttlingException", message: "Too many" } },
    ],
    [
      "an exception without a payload",
      frame({ ":message-type": "exception", ":exception-type": "validationException" }, ""),
      { name: "validationException", data: { __type: "validationException" } },
    ],
    [
      "an error that has headers only",
      frame({ ":message-type": "error", ":error-code": "InternalError", ":error-message": "Sorry" }, ""),
      { name: "InternalError", data: { __type: "InternalError", message: "Sorry" } },
    ],
    [
      "an event without a payload",
      frame({ ":message-type": "event", ":event-type": "a" }, ""),
      { name: "a", data: {} },
    ],
  ])("reads %s", (_name, bytes, event) => {
    expect(decode([bytes])).toEqual({ events: [event], problem: null });
  });

  it("passes over messages of a kind that it does not know", () => {
    expect(decode([frame({ ":message-type": "trailer" }, "x")])).toEqual({ events: [], problem: null });
  });

  it.each([
    ["a type that does not exist", [1, 0x61, 10]],
    ["a value longer than its room", [1, 0x61, 7, 0, 9, 0x62]],
    ["a length cut in half", [1, 0x61, 7, 0]],
    ["a name longer than its room", [9, 0x61]],
  ])("cannot use headers with %s", (_name, headers) => {
    expect(decode([handmade(Buffer.from(headers))])).toEqual({
      events: [],
      problem: "a stream whose event has headers that cannot be read",
    });
  });

  it("takes lengths that contradict each other for a broken stream", () => {
    const bytes = handmade(Buffer.alloc(0));
    bytes.writeUInt32BE(1, 4);
    bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
    expect(decode([bytes])).toEqual({ events: [], problem: "a stream that was damaged on its way" });
  });

  it("waits for no frame that is longer than any", () => {
    const bytes = handmade(Buffer.alloc(0));
    bytes.writeUInt32BE(100_000_000, 0);
    bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
    expect(decode([bytes])).toEqual({ events: [], problem: "a stream with an event of more than 8 MiB" });
  });

  it("cannot use an event that is no JSON object", () => {
    const bytes = frame({ ":message-type": "event", ":event-type": "a" }, "[1]");
    expect(decode([bytes])).toEqual({ events: [], problem: "a stream with an event that is not a JSON object" });
  });
});
