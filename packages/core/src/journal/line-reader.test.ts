import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { getHeapStatistics } from "node:v8";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLineReader } from "./line-reader.js";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kindlm-lines-"));
  file = path.join(folder, "lines");
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("createLineReader", () => {
  it("reads lines in any order, also those that are longer than what is read at once", () => {
    const lines = ["first", "é🙂".repeat(300_000), "x".repeat(1_100_000), "", "last"];
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
    let offset = 0;
    const places = lines.map((line) => {
      const place = { offset, length: Buffer.byteLength(line) };
      offset += place.length + 1;
      return place;
    });
    const reader = createLineReader(file);
    for (const at of [0, 1, 2, 3, 4, 1, 4, 0, 2]) {
      expect(reader.read(places[at] ?? { offset: 0, length: 0 })).toEqual({ success: true, data: lines[at] });
    }
  });

  it("sees what was written behind the place that it read last", () => {
    writeFileSync(file, "one\n");
    const reader = createLineReader(file);
    expect(reader.read({ offset: 0, length: 3 })).toEqual({ success: true, data: "one" });
    appendFileSync(file, "two\n");
    expect(reader.read({ offset: 4, length: 3 })).toEqual({ success: true, data: "two" });
  });

  it("says that there is nothing to read, and holds no file open", () => {
    const reader = createLineReader(file);
    expect(reader.read({ offset: 0, length: 3 })).toMatchObject({ success: false, error: { code: "STORE_CORRUPT" } });
    writeFileSync(file, "one\n");
    rmSync(file);
    expect(reader.read({ offset: 0, length: 3 }).success).toBe(false);
  });

  it("makes no more room than the file has", () => {
    writeFileSync(file, "one\n");
    // Unlike `process.memoryUsage`, V8 needs no /proc to know it.
    const before = getHeapStatistics().external_memory;
    for (let count = 0; count < 8; count += 1) createLineReader(file).read({ offset: 0, length: 3 });
    // A window each would be 8 MiB.
    expect(getHeapStatistics().external_memory - before).toBeLessThan(1_000_000);
  });
});
