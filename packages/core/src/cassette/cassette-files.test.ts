import { createRedactor } from "../redaction/redactor.js";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createSystemClock } from "../values/clock.js";
import { changeCassette, loadCassette } from "./cassette-files.js";
import { emptyCassette, type CassetteContent, type ExchangeLine } from "./cassette-lines.js";

const folder = mkdtempSync(join(tmpdir(), "kindlm-cassettes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clock = createSystemClock();
const writer = { clock, redactor: createRedactor([]) };
const placeOf = (name: string) => ({ path: join(folder, name), shown: name });

const exchange = (caseId: string): ExchangeLine => ({
  exchange: "k",
  case: caseId,
  trial: 1,
  n: 1,
  turn: 1,
  attempt: 1,
  ms: 1,
});

/** Adds one case to what is there. */
const adding =
  (caseId: string) =>
  (present: CassetteContent | null): CassetteContent => {
    const content = present ?? emptyCassette("s", "t");
    content.requests.set("k", { request: "k", body: null });
    content.cases.set(caseId, new Map([[1, [exchange(caseId)]]]));
    return content;
  };

describe("a change of a file", () => {
  it("loses nothing that others write at the same time, and leaves nothing else behind", async () => {
    const place = placeOf("many/t.jsonl");
    const ids = Array.from({ length: 20 }, (_, index) => `case ${index}`);
    const changed = await Promise.all(ids.map((id) => changeCassette(place, writer, adding(id))));
    expect(changed.every(({ success }) => success)).toBe(true);
    const loaded = await loadCassette(place);
    expect(loaded.success && [...(loaded.data?.cases.keys() ?? [])].toSorted()).toEqual(ids.toSorted());
    expect(readdirSync(join(folder, "many"))).toEqual(["t.jsonl"]);
  });

  it("that changes nothing does not touch it, and one that leaves nothing removes it", async () => {
    const place = placeOf("same/t.jsonl");
    await changeCassette(place, writer, adding("a"));
    utimesSync(place.path, 1, 1);
    await changeCassette(place, writer, adding("a"));
    expect(statSync(place.path).mtimeMs).toBe(1_000);
    await changeCassette(place, writer, () => emptyCassette("s", "t"));
    expect(existsSync(place.path)).toBe(false);
  });

  it("takes over a lock that was left behind", async () => {
    const place = placeOf("stale/t.jsonl");
    mkdirSync(join(folder, "stale"));
    writeFileSync(`${place.path}.lock`, "");
    utimesSync(`${place.path}.lock`, 1, 1);
    expect(await changeCassette(place, writer, adding("a"))).toEqual({ success: true, data: undefined });
    expect(readdirSync(join(folder, "stale"))).toEqual(["t.jsonl"]);
  });

  it("leaves a file alone that cannot be read", async () => {
    const place = placeOf("broken.jsonl");
    writeFileSync(place.path, "what is this");
    expect(await changeCassette(place, writer, adding("a"))).toMatchObject({
      success: false,
      error: { code: "STORE_CORRUPT", details: { path: "broken.jsonl", line: 1 } },
    });
    expect(readFileSync(place.path, "utf8")).toBe("what is this");
    expect(readdirSync(folder)).not.toContain("broken.jsonl.lock");
  });

  it("that is not possible is an error with the system's reason", async () => {
    writeFileSync(join(folder, "file"), "");
    expect(await changeCassette(placeOf("file/t.jsonl"), writer, adding("a"))).toMatchObject({
      success: false,
      error: { code: "STORE_WRITE_ERROR", details: { path: "file/t.jsonl", systemCode: "EEXIST" } },
    });
  });
});

it("a file that is not there is none, and one that is a folder is corrupt", async () => {
  expect(await loadCassette(placeOf("nothing.jsonl"))).toEqual({ success: true, data: null });
  mkdirSync(join(folder, "dir.jsonl"));
  expect(await loadCassette(placeOf("dir.jsonl"))).toMatchObject({ success: false, error: { code: "STORE_CORRUPT" } });
});
