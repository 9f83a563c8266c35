import { describe, expect, it } from "vitest";
import { hashOnwards, hashText, identityText } from "./content-hash.js";

describe("hashOnwards", () => {
  const begun = hashText("before");

  it("is the same for the same, and 16 digits", () => {
    expect(hashOnwards(begun, "row")).toBe(hashOnwards(begun, "row"));
    expect(hashOnwards("0".repeat(16), "")).toMatch(/^[0-9a-f]{16}$/);
  });

  it("gives a hash of its own to each of very many rows that differ in little", () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => `{"id":"q${index}","question":"${index}"}`);
    expect(new Set(rows.map((row) => hashOnwards(begun, row))).size).toBe(rows.length);
    // Either half alone tells nearly all of them apart, as 32 bits should.
    for (const [from, to] of [
      [0, 8],
      [8, 16],
    ]) {
      const halves = new Set(rows.map((row) => hashOnwards(begun, row).slice(from, to)));
      expect(rows.length - halves.size).toBeLessThan(30);
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

describe("identityText", () => {
  it("does not depend on the order of keys", () => {
    expect(identityText({ b: 1, a: { d: [2, null], c: "x" } })).toBe('{"a":{"c":"x","d":[2,null]},"b":1}');
    expect(identityText({ a: { c: "x", d: [2, null] }, b: 1 })).toBe('{"a":{"c":"x","d":[2,null]},"b":1}');
  });
});
