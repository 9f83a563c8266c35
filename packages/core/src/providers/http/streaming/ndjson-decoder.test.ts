import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeInPieces } from "../../../__fixtures__/decode-in-pieces.js";
import { createDecoder, createNdjsonDecoder } from "./create-decoder.js";

function decode(text: string, cuts: readonly number[] = []) {
  return decodeInPieces(createNdjsonDecoder(), Buffer.from(text), cuts);
}

const one = [{ name: null, data: { a: 1 } }];

describe("an NDJSON stream", () => {
  it.each([
    ["lines that end with LF", '{"a":1}\n'],
    ["lines that end with CRLF", '{"a":1}\r\n'],
    ["a byte order mark", '\ufeff{"a":1}\n'],
    ["empty lines", '\n \n{"a":1}\n\r\n\n'],
    ["no line feed at the end", '{"a":1}'],
  ])("with %s", (_name, text) => {
    expect(decode(text)).toEqual({ events: one, problem: null });
  });

  it.each(["oops", "[1]", "null", '{"a":'])("has a problem with %s after good events, and ends there", (line) => {
    expect(decode(`{"a":1}\n${line}\n`)).toEqual({
      events: one,
      problem: "a stream with an event that is not a JSON object",
    });
  });

  it("that was cut in the middle of a line has the events before it, and no problem", () => {
    expect(decode('{"a":1}\n{"b":')).toEqual({ events: one, problem: null });
  });

  it("gives each event as soon as it is there", () => {
    const decoder = createNdjsonDecoder();
    expect(decoder.push(Buffer.from('{"a":1}')).events).toEqual([]);
    expect(decoder.push(Buffer.from('\n{"b"')).events).toEqual(one);
  });

  it("gives the same events however its bytes are cut", () => {
    const json = fc.dictionary(fc.string(), fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(fc.array(json), fc.constantFrom("\n", "\r\n"), fc.array(fc.nat(400)), (objects, end, cuts) => {
        const text = objects.map((data) => JSON.stringify(data) + end).join("");
        expect(decode(text, cuts)).toEqual({ events: objects.map((data) => ({ name: null, data })), problem: null });
      }),
    );
  });

  it("is what the framing of that name is decoded as", () => {
    const decoders = [createDecoder("ndjson"), createDecoder("sse")];
    expect(decoders.map((decoder) => decoder.push(Buffer.from('{"a":1}\n')).events)).toEqual([one, []]);
  });

  it("ends at a line that has no end", () => {
    const decoder = createNdjsonDecoder();
    const part = Buffer.from(`{${"x".repeat(1_048_575)}`);
    for (let count = 0; count < 8; count += 1) expect(decoder.push(part).problem).toBeNull();
    expect(decoder.push(part)).toEqual({ events: [], problem: "a stream with an event of more than 8 MiB" });
  });
});
