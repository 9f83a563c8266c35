import { join } from "node:path";
import { getHeapStatistics } from "node:v8";
import fc from "fast-check";
import { expect, it } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import { readLines, type PlacedLine } from "./read-lines.js";

async function linesOf(source: string | AsyncIterable<Uint8Array>): Promise<PlacedLine[]> {
  const lines: PlacedLine[] = [];
  for await (const line of readLines(source)) lines.push(line);
  return lines;
}

it("finds each line and where it stands, however the bytes come", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: "grapheme" })), fc.integer({ min: 1, max: 9 }), async (texts, size) => {
      const written = texts.map((text) => text.replaceAll("\n", " "));
      const bytes = Buffer.from(written.join("\n"));
      async function* pieces(): AsyncIterable<Uint8Array> {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      }
      const lines = await linesOf(pieces());
      // What follows the last line feed is a line only where there is something.
      expect(lines.map(({ line }) => line)).toEqual(written.at(-1) === "" ? written.slice(0, -1) : written);
      for (const { line, place } of lines) {
        expect(bytes.toString("utf8", place.offset, place.offset + place.length)).toBe(line);
      }
      expect(lines.map(({ isWhole }) => isWhole)).toEqual(lines.map((_line, index) => index < written.length - 1));
    }),
  );
});

it("reads files", async () => {
  const folder = makeProject({ "a.txt": "one\r\n\ntwo" });
  expect((await linesOf(join(folder, "a.txt"))).map(({ line }) => line)).toEqual(["one\r", "", "two"]);
});

it("makes no more room than a file needs", async () => {
  const folder = makeProject({ "a.txt": "one\n" });
  // Unlike `process.memoryUsage`, V8 needs no /proc to know it.
  const before = getHeapStatistics().external_memory;
  for (let count = 0; count < 8; count += 1) await linesOf(join(folder, "a.txt"));
  // A MiB for each read, also of the end, would be 16 MiB.
  expect(getHeapStatistics().external_memory - before).toBeLessThan(1_000_000);
});
