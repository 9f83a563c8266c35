import { describe, expect, it } from "vitest";
import { draws } from "../../__fixtures__/draws.js";
import { createHashMemory, hashOnwards, hashText, identityText } from "./content-hash.js";

describe("hashOnwards", () => {
  const begun = hashText("before");

  it("is the same for the same, and 16 digits", () => {
    expect(hashOnwards(begun, "row")).toBe(hashOnwards(begun, "row"));
    expect(hashOnwards("0".repeat(16), "")).toMatch(/^[0-9a-f]{16}$/);
  });

  it("gives a hash of its own to each of very many rows that differ in little", () => {
    const count = draws({ brief: 50_000, full: 200_000 });
    const rows = Array.from({ length: count }, (_, index) => `{"id":"q${index}","question":"${index}"}`);
    const hashes = rows.map((row) => hashOnwards(begun, row));
    expect(new Set(hashes).size).toBe(rows.length);
    // Either half alone tells nearly all of them apart, as 32 bits should.
    for (const [from, to] of [
      [0, 8],
      [8, 16],
    ]) {
      const halves = new Set(hashes.map((hash) => Number.parseInt(hash.slice(from, to), 16)));
      expect(rows.length - halves.size).toBeLessThan(count / 7_000);
    }
  });

  it("depends on what came before, on the order and on every half of a character", () => {
    const hashes = [
      hashOnwards(begun, "ab"),
      hashOnwards(begun, "ba"),
      hashOnwards(begun, "a"),
      hashOnwards(begun, ""),
      hashOnwards(begun, "a\u0100"),
      hashOnwards(begun, "a\u0200"),
      hashOnwards(hashText("other"), "ab"),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

describe("createHashMemory", () => {
  it("gives the hashes of the texts, however many there were before", () => {
    const remembered = createHashMemory();
    const texts = Array.from({ length: 1_000 }, (_, index) => `text ${index % 300}`);
    expect(texts.map(remembered)).toEqual(texts.map(hashText));
  });
});

describe("identityText", () => {
  it.each([
    [[1, "a", undefined, () => 1], '[1,"a",null,null]'],
    [{ b: undefined, a: () => 1, c: null, 'say "x"': true }, '{"c":null,"say \\"x\\"":true}'],
    [{ source: { $contains: "x" }, match: () => true }, '{"$matcher":{"$contains":"x"}}'],
    [{ match: "text", source: 1 }, '{"match":"text","source":1}'],
    [undefined, "null"],
  ])("of %j is what counts", (value, expected) => {
    expect(identityText(value)).toBe(expected);
  });

  it("does not depend on the order of keys", () => {
    expect(identityText({ b: 1, a: { d: [2, null], c: "x" } })).toBe('{"a":{"c":"x","d":[2,null]},"b":1}');
    expect(identityText({ a: { c: "x", d: [2, null] }, b: 1 })).toBe('{"a":{"c":"x","d":[2,null]},"b":1}');
  });
});
