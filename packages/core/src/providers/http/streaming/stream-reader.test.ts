import { expect, it } from "vitest";
import type { StreamAssembler } from "../../wire-format.js";
import { createSseDecoder } from "./create-decoder.js";
import { doneEvent } from "./stream-decoder.js";
import { StreamReader } from "./post-stream.js";
import { streamedError } from "./streamed-error.js";

const piece = 'data: {"text":"a"}\n\n';
const error = 'data: {"error":{"message":"late"}}\n\n';

function createAssembler(): StreamAssembler {
  let text = "";
  let isDone = false;
  return {
    get text() {
      return text;
    },
    add({ name, data }) {
      if (data["error"] !== undefined) return streamedError(data);
      isDone = name === doneEvent;
      if (data["last"] === true) {
        isDone = true;
        text += String(data["text"]);
        return { kind: "end", hasContent: text !== "" };
      }
      if (isDone) return { kind: "end" };
      text += String(data["text"]);
      return { kind: "content" };
    },
    finish: () => (isDone ? { text } : null),
  };
}

function read(...chunks: string[]) {
  const reader = new StreamReader(createSseDecoder(), createAssembler());
  const isOver = chunks.map((chunk, index) => reader.push(Buffer.from(chunk), (index + 1) * 10));
  return { isOver, ended: reader.finish(99), firstContentMs: reader.firstContentMs };
}

it.each([
  ["an error", error],
  ["a piece", piece],
  ["garbage", "data: oops\n\n"],
])("does not look at %s that comes with the end", (_name, after) => {
  expect(read(`${piece}data: [DONE]\n\n${after}`)).toMatchObject({
    isOver: [true],
    ended: { kind: "complete", json: { text: "a" } },
  });
});

it("stops at the first error or garbage of a chunk", () => {
  expect(read(`${piece}${error}data: [DONE]\n\n`)).toMatchObject({ isOver: [true], ended: { kind: "refused" } });
  expect(read(`${piece}data: oops\n\ndata: [DONE]\n\n`)).toMatchObject({ isOver: [true], ended: { kind: "broken" } });
});

it("knows when the first piece came, although it was cut on its way", () => {
  expect(read(piece.slice(0, 9), piece.slice(9), piece, "data: [DONE]\n\n")).toMatchObject({
    isOver: [false, false, false, true],
    firstContentMs: 20,
  });
  expect(read(piece.trimEnd())).toMatchObject({ ended: { kind: "cut" }, firstContentMs: 99 });
  expect(read('data: {"text":"a","last":true}\n\n')).toMatchObject({ isOver: [true], firstContentMs: 10 });
  expect(read('data: {"text":"","last":true}\n\n')).toMatchObject({ isOver: [true], firstContentMs: null });
});

it("stops at an event that has no end, long before it fills the memory", () => {
  const part = Buffer.from("x".repeat(65_536));
  for (const begin of ["data: {", `${piece}data: {`]) {
    const reader = new StreamReader(createSseDecoder(), createAssembler());
    reader.push(Buffer.from(begin), 0);
    let count = 1;
    while (!reader.push(part, count) && count < 1_000) count += 1;
    expect(count * part.length).toBeLessThan(9 * 1_048_576);
    expect(reader.finish(count)).toMatchObject({
      kind: "broken",
      problem: "a stream with an event of more than 8 MiB",
    });
  }
});

it("stops at an event of endless lines", () => {
  const reader = new StreamReader(createSseDecoder(), createAssembler());
  const lines = Buffer.from(`data: ${"x".repeat(1_000)}\n`.repeat(100));
  let count = 1;
  while (!reader.push(lines, count) && count < 1_000) count += 1;
  expect(count * lines.length).toBeLessThan(9 * 1_048_576);
});

it("keeps no endless body that might be a reply as a whole", () => {
  const reader = new StreamReader(createSseDecoder(), createAssembler());
  const comments = Buffer.from(`: ${"x".repeat(1_048_573)}\n`);
  for (let count = 0; count < 50; count += 1) expect(reader.push(comments, count)).toBe(false);
  expect(reader.push(comments, 50)).toBe(true);
  expect(reader.finish(51)).toMatchObject({ kind: "broken", problem: "a stream without an event" });
});
