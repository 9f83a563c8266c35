import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { sampleEntry, sampleHeader, sampleText } from "./__fixtures__/sample-baseline.js";
import { parseBaseline } from "./load-baseline.js";

const entries = [sampleEntry("orders/a@m"), sampleEntry("orders/b@m", { deterministic: true, costUsd: null })];
const text = sampleText(entries);
const byId = new Map(entries.map((entry) => [entry.caseId, entry]));

/** Where the values of a JSON text stand; keys, and the version, are left out. */
function valuePlaces(json: string): readonly number[] {
  const places: number[] = [];
  for (const { 0: token, index } of json.matchAll(
    /"(?:[^"\\]|\\.)*"(?=\s*:)|"(?:[^"\\]|\\.)*"|-?[\d.]+|true|false|null/g,
  )) {
    const isKey = token.startsWith('"') && /^\s*:/.test(json.slice(index + token.length));
    if (isKey || json.slice(0, index).endsWith('"schemaVersion": ')) continue;
    for (let place = index; place < index + token.length; place += 1) places.push(place);
  }
  return places;
}

function isSameJson(one: string, other: string): boolean {
  try {
    return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
  } catch {
    return false;
  }
}

describe("parseBaseline", () => {
  it("reads what was written", () => {
    expect(parseBaseline(text)).toEqual({ success: true, data: { header: sampleHeader, entries: byId } });
  });

  it("is not disturbed by line ends, indentation, a byte order mark and the order of keys", () => {
    const shuffle = (value: unknown, take: (count: number) => number): unknown => {
      if (Array.isArray(value)) return value.map((item) => shuffle(item, take));
      if (typeof value !== "object" || value === null) return value;
      const rest = Object.entries(value);
      const mixed: (typeof rest)[number][] = [];
      while (rest.length > 0) mixed.push(...rest.splice(take(rest.length), 1));
      return Object.fromEntries(mixed.map(([key, item]) => [key, shuffle(item, take)]));
    };
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.nat()),
        fc.constantFrom(0, 1, 2, 8, "\t"),
        fc.boolean(),
        fc.boolean(),
        (numbers, indent, isCrlf, hasMark) => {
          const mixed = JSON.stringify(
            shuffle(JSON.parse(text), (count) => (numbers.next().value ?? 0) % count),
            null,
            indent,
          );
          const lines = isCrlf ? mixed.replaceAll("\n", "\r\n") : mixed;
          const parsed = parseBaseline(`${hasMark ? "\ufeff" : ""}${lines}`);
          expect(parsed).toEqual({ success: true, data: { header: sampleHeader, entries: byId } });
        },
      ),
    );
    expect(parseBaseline(text.replaceAll("\n", "\r\n"))).toMatchObject({ success: true });
  });

  it("takes any single character that is changed in any value for damage", () => {
    const character = fc.oneof(
      fc.constantFrom(...'0123456789abcdef-."\\ truefals{}[],:'.split("")),
      fc.string({ minLength: 1, maxLength: 1 }),
    );
    for (const place of valuePlaces(text)) {
      fc.assert(
        fc.property(character, (changed) => {
          const damaged = text.slice(0, place) + changed + text.slice(place + 1);
          fc.pre(!isSameJson(damaged, text));
          expect(parseBaseline(damaged)).toMatchObject({ success: false, error: { kind: "corrupt" } });
        }),
        { numRuns: draws({ brief: 3, full: 100 }) },
      );
    }
  });

  it("reads parts of two files put together by hand, and an entry that is there twice", () => {
    const ours = sampleText([...entries, sampleEntry("orders/c@m"), sampleEntry("orders/c@m")]);
    const theirs = sampleText([], [sampleHeader.runId]).split("\n");
    const merged = ours.split("\n").map((line, index) => (index === 2 ? theirs[2] : line));
    const parsed = parseBaseline(merged.join("\n"));
    expect(parsed.success && [...parsed.data.entries.keys()]).toEqual(["orders/a@m", "orders/b@m", "orders/c@m"]);
    expect(parsed.success && parsed.data.header.runId).toBe("[redacted]");
    expect(parseBaseline(sampleText(entries.slice(1)))).toMatchObject({ success: true });
  });

  it.each<[string, string, string]>([
    ["nothing", " \n", "is empty"],
    ["no JSON", "{", "is not JSON"],
    ["half a file", text.slice(0, 700), "is not JSON"],
    ["another JSON", "[]", "is not a baseline"],
    ["no version", '{"header":{},"cases":[]}', "has no version"],
    ["a version that is none", text.replace('"schemaVersion": 1', '"schemaVersion": "1"'), "has no version"],
    ["no cases", '{"schemaVersion":1,"header":{}}', "has no list of cases"],
    ["no header", '{"schemaVersion":1,"cases":[]}', "has a header whose checksum is wrong"],
    [
      "two entries of a case that differ",
      sampleText([...entries, sampleEntry("orders/a@m", { passes: 3 })]),
      "has two entries of orders/a@m",
    ],
    [
      "several that are wrong",
      text.replaceAll('"passes": 2', '"passes": 1'),
      "has an entry whose checksum is wrong: orders/a@m, and 1 more like it",
    ],
  ])("says what is wrong with %s", (_name, damaged, reason) => {
    const parsed = parseBaseline(damaged);
    expect(parsed).toMatchObject({
      success: false,
      error: { kind: "corrupt", reason: expect.stringContaining(reason) },
    });
  });

  it("names the line of a conflict that nobody resolved, and what to do", () => {
    const lines = text.split("\n");
    const conflict = [
      ...lines.slice(0, 2),
      "<<<<<<< HEAD",
      lines[2],
      "=======",
      lines[2],
      ">>>>>>> other",
      ...lines.slice(3),
    ];
    expect(parseBaseline(conflict.join("\r\n"))).toMatchObject({
      success: false,
      error: {
        reason: "has an unresolved merge conflict at line 3",
        hint: expect.stringMatching(/^Resolve the conflict/),
      },
    });
  });

  it("keeps the entries that are sound beside one that is not", () => {
    const parsed = parseBaseline(text.replace('"deterministic": true', '"deterministic": false'));
    expect(parsed).toMatchObject({ success: false, error: { sound: new Map([["orders/a@m", entries[0]]]) } });
  });

  it("distinguishes another version from damage", () => {
    expect(parseBaseline(text.replace('"schemaVersion": 1', '"schemaVersion": 4'))).toEqual({
      success: false,
      error: { kind: "version", found: 4 },
    });
  });
});

describe("renderBaseline", () => {
  it("puts entries in the order of their ids and every fact on a line of its own", () => {
    expect(sampleText(entries.toReversed())).toBe(text);
    const changed = sampleText([sampleEntry("orders/a@m", { passes: 3 }), ...entries.slice(1)]);
    const before = text.split("\n");
    const different = changed.split("\n").filter((line, index) => line !== before[index]);
    expect(different.map((line) => line.trim().split(":")[0])).toEqual(['"passes"', '"checksum"']);
  });

  it("masks secrets before it takes checksums, keys and ids among them", () => {
    const secret = "hunter2-hunter2";
    const entry = sampleEntry(`orders/a[${secret}]@m`, {
      output: `is ${secret}\n"quoted"`,
      calls: [`pay {"${secret}":1}`],
      scores: { [`1 ${secret}`]: 1 },
      servedBy: secret,
    });
    const masked = sampleText([entry], [secret]);
    expect(masked).not.toContain(secret);
    const parsed = parseBaseline(masked);
    expect(parsed).toMatchObject({ success: true });
    const [only] = parsed.success ? parsed.data.entries.values() : [];
    expect(only).toMatchObject({
      caseId: "orders/a[[redacted]]@m",
      servedBy: "[redacted]",
      scores: { "1 [redacted]": 1 },
    });
    // Written again, it stays what it is.
    expect(sampleText(only === undefined ? [] : [only], [secret])).toBe(masked);
  });
});
