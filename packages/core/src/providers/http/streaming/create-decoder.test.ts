import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseDecoder } from "./create-decoder.js";
import { decodeInPieces } from "../../../__fixtures__/decode-in-pieces.js";

function decode(text: string, cuts: readonly number[] = []) {
  return decodeInPieces(createSseDecoder(), Buffer.from(text), cuts);
}

const one = [{ name: null, data: { a: 1 } }];

describe("an SSE stream", () => {
  it.each([
    ["lines that end with LF", 'data: {"a":1}\n\n'],
    ["lines that end with CRLF", 'data: {"a":1}\r\n\r\n'],
    ["lines that end with CR", 'data: {"a":1}\r\r'],
    ["no space after the colon", 'data:{"a":1}\n\n'],
    ["a byte order mark", '\ufeffdata: {"a":1}\n\n'],
    ["comments", ': OPENROUTER PROCESSING\n\n: keep-alive\ndata: {"a":1}\n: x\n\n'],
    ["ids and retry times", 'id: 7\nretry: 3000\nretry: soon\ndata: {"a":1}\n\n'],
    ["fields that nobody knows", 'colour: red\nnonsense\ndata: {"a":1}\n\n'],
    ["data on several lines", 'data: {\ndata: "a":\ndata: 1}\n\n'],
    ["no empty line at the end", 'data: {"a":1}\n'],
    ["no line feed at the end", 'data: {"a":1}'],
    ["an event without data", 'event: ping\n\ndata:\n\ndata: \n\ndata: {"a":1}\n\n'],
  ])("with %s", (_name, text) => {
    expect(decode(text)).toEqual({ events: one, problem: null });
  });

  it("names its events", () => {
    expect(decode('event: ping\ndata: {"a":1}\n\ndata: {"a":1}\n\n').events).toEqual([
      { name: "ping", data: { a: 1 } },
      { name: null, data: { a: 1 } },
    ]);
  });

  it.each(["data: [DONE]\n\n", "data: [DONE] \r\n\r\n", "data:[DONE]"])("ends with %j", (text) => {
    expect(decode(text).events).toEqual([{ name: "[DONE]", data: {} }]);
  });

  it.each(["oops", "[1]", "null", '"text"', '{"a":'])(
    "has a problem with %s after good events, and ends there",
    (data) => {
      expect(decode(`data: {"a":1}\n\ndata: ${data}\n\ndata: {"b":2}\n\n`)).toEqual({
        events: one,
        problem: "a stream with an event that is not a JSON object",
      });
    },
  );

  it("that was cut in the middle of an event has the events before it, and no problem", () => {
    expect(decode('data: {"a":1}\n\ndata: {"b":')).toEqual({ events: one, problem: null });
  });

  it.each([
    ["as a field", 'error: {"code":500,"message":"no memory"}\n\n', { code: 500, message: "no memory" }],
    ["as text", "event: error\ndata: out of memory\n\n", { error: "out of memory" }],
  ])("reports an error %s", (_name, text, data) => {
    expect(decode(text)).toEqual({ events: [{ name: "error", data }], problem: null });
  });

  it("gives each event as soon as it is there", () => {
    const decoder = createSseDecoder();
    expect(decoder.push(Buffer.from('data: {"a":1}\n')).events).toEqual([]);
    expect(decoder.push(Buffer.from("\ndata")).events).toEqual(one);
  });

  it("gives the same events however its bytes are cut", () => {
    const json = fc.dictionary(fc.string(), fc.string({ unit: "grapheme" }));
    const event = fc.record({ name: fc.constantFrom(null, "ping", "größe"), data: json });
    const written = fc.record({
      events: fc.array(event, { maxLength: 5 }),
      end: fc.constantFrom("\n", "\r\n", "\r"),
      comment: fc.constantFrom("", ": €", ":"),
      mark: fc.boolean(),
      cuts: fc.array(fc.nat(400)),
    });
    fc.assert(
      fc.property(written, ({ events, end, comment, mark, cuts }) => {
        const lines = events.flatMap(({ name, data }) => [
          ...(comment === "" ? [] : [comment]),
          ...(name === null ? [] : [`event: ${name}`]),
          `data: ${JSON.stringify(data)}`,
          "",
        ]);
        const text = `${mark ? "\ufeff" : ""}${lines.map((line) => line + end).join("")}`;
        expect(decode(text, cuts)).toEqual({ events, problem: null });
      }),
    );
  });

  it("never throws, and finds the same in any text however it is cut", () => {
    const pieces = [
      "data",
      "event",
      "error",
      "ping",
      ":",
      " ",
      "\n",
      "\r",
      "\r\n",
      '{"a":"€"}',
      "[DONE]",
      "\ufeff",
      "x",
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), (written, cuts) => {
        expect(decode(written, cuts)).toEqual(decode(written));
      }),
      { numRuns: 500 },
    );
  });

  it("never throws, whatever the bytes are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        decodeInPieces(createSseDecoder(), Buffer.from(bytes), [1, 50]);
      }),
    );
  });
});
