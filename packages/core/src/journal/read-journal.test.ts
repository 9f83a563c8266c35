import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRedactor } from "../redaction/redactor.js";
import { encodeRecord } from "./encode-record.js";
import type { LinePlace } from "./group-appender.js";
import type { JournalRecord } from "./journal-record.js";
import { readJournal, readJournalHeader } from "./read-journal.js";
import { passedTrial, sampleHeader, trialRecord } from "./__fixtures__/sample-records.js";

let file = "";
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kindlm-journal-"));
  file = path.join(folder, "journal.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const records: readonly JournalRecord[] = [
  sampleHeader(),
  ...Array.from({ length: 6 }, (_, at) => trialRecord(passedTrial({ trial: at + 1, output: "é🙂\n".repeat(at * 7) }))),
  { kind: "session", at: 5 },
];
const lines = records.map((record) => encodeRecord(record, createRedactor([])));
const whole = Buffer.from(lines.map((line) => `${line}\n`).join(""));

async function read(): Promise<{
  outcome: Awaited<ReturnType<typeof readJournal>>;
  seen: JournalRecord[];
  places: LinePlace[];
}> {
  const seen: JournalRecord[] = [];
  const places: LinePlace[] = [];
  const outcome = await readJournal(file, "journal.jsonl", (record, place) => {
    seen.push(record);
    places.push(place);
  });
  return { outcome, seen, places };
}

describe("readJournal", () => {
  it("reads back all whole lines of a journal that was cut at any byte", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: lines[0]?.length ?? 0, max: whole.length }), async (cut) => {
        const kept = whole.subarray(0, cut);
        const expected = kept.toString("latin1").split("\n").length - 1;
        writeFileSync(file, kept);
        const { outcome, seen, places } = await read();
        expect(seen).toEqual(records.slice(0, expected));
        if (expected === 0) {
          expect(outcome).toMatchObject({ success: false, error: { code: "STORE_CORRUPT" } });
          return;
        }
        expect(outcome).toEqual({ success: true, data: { header: records[0], wholeBytes: kept.lastIndexOf(10) + 1 } });
        for (const [index, { offset, length }] of places.entries()) {
          expect(whole.toString("utf8", offset, offset + length)).toBe(lines[index]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("reads lines across the blocks in which a large file comes", async () => {
    const long = trialRecord(passedTrial({ output: "é".repeat(900_000) }));
    const all = [sampleHeader(), long, long, trialRecord(passedTrial())];
    writeFileSync(file, all.map((record) => `${encodeRecord(record, createRedactor([]))}\n`).join(""));
    const { outcome, seen } = await read();
    expect(outcome.success).toBe(true);
    expect(seen).toEqual(all);
  });

  it("takes a damaged last line for a torn one, with and without its end", async () => {
    for (const tail of ["\0\0\0", "\0\0\0\n"]) {
      writeFileSync(file, Buffer.concat([whole, Buffer.from(tail)]));
      const { outcome, seen } = await read();
      expect(outcome).toMatchObject({ success: true, data: { wholeBytes: whole.length } });
      expect(seen).toEqual(records);
    }
  });

  it.each([
    ["", "journal.jsonl is empty: the run stopped before it started"],
    ['{"kind":"ru', "journal.jsonl is empty: the run stopped before it started"],
    ["not a journal\n", "journal.jsonl is damaged at line 1"],
    ['{"kind":"session","at":1}\n', "journal.jsonl is damaged at line 1"],
    [`${lines[0]}\n\n${lines[1]}\n`, "journal.jsonl is damaged at line 2"],
    [`${lines[0]}\n${lines[1]}\n{"kind":"tri\n${lines[2]}\n`, "journal.jsonl is damaged at line 3"],
    [`${lines[0]}\n{"kind":"trial"}\n`, "journal.jsonl is damaged at line 2: at must be a number"],
    [
      `${JSON.stringify({ ...sampleHeader(), version: 99, kindlm: "7.0.0" })}\n`,
      "was written by another version of KindLM (7.0.0)",
    ],
  ])("refuses %j", async (text, says) => {
    writeFileSync(file, text);
    const { outcome } = await read();
    expect(outcome).toMatchObject({
      success: false,
      error: { code: "STORE_CORRUPT", details: { path: "journal.jsonl" } },
    });
    expect(outcome.success ? "" : outcome.error.message).toContain(says);
  });

  it("says that there is none", async () => {
    expect((await read()).outcome).toMatchObject({ success: false, error: { code: "STORE_CORRUPT" } });
  });
});

describe("readJournalHeader", () => {
  it("reads the first line alone, whatever follows", async () => {
    writeFileSync(file, `${lines[0]}\n\0 not a line of a journal`);
    expect(await readJournalHeader(file, "j")).toEqual({ success: true, data: records[0] });
  });

  it.each(["", lines[0] ?? "", `${lines[1]}\n`, "{}\n"])("refuses %j", async (text) => {
    writeFileSync(file, text);
    expect(await readJournalHeader(file, "j")).toMatchObject({ success: false, error: { details: { path: "j" } } });
  });

  it("names the version that wrote what it cannot read", async () => {
    writeFileSync(file, `${JSON.stringify({ ...sampleHeader(), version: 99, kindlm: "7.0.0" })}\n`);
    expect(await readJournalHeader(file, "j")).toMatchObject({ error: { details: { writtenBy: "7.0.0" } } });
  });
});
