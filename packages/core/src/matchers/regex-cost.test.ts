import { describe, expect, it } from "vitest";
import { costOfRegex } from "./regex-cost.js";

describe("costOfRegex", () => {
  it.each([
    ["abc", "", 1, 0],
    ["^ORD-\\d+$", "", 1, 1],
    ["a+b*", "", 1, 2],
    ["a?b?c?", "", 8, 0],
    ["x{2,4}", "", 3, 0],
    ["x{2}", "", 1, 0],
    ["(?:ab)+", "", 1, 1],
    ["(a|b|c)", "", 3, 0],
    ["(a|b){3}", "", 8, 0],
    ["[a|b(]+", "", 1, 1],
    ["[\\]]+", "", 1, 1],
    ["\\(\\[", "", 1, 0],
    ["(?<=a+)b", "", 1, 1],
    ["(?<year>\\d{4})", "", 1, 0],
    ["(a)\\1", "", 1, 1],
    ["\\p{L}+", "u", 1, 1],
    ["a{x}", "", 1, 0],
  ])("bounds /%s/%s", (source, flags, ways, power) => {
    expect(costOfRegex(source, flags)).toMatchObject({ ways, power });
  });

  it.each([
    ["(a+)+", ""],
    ["(a|a)*", ""],
    ["(a?)*", ""],
    ["((ab)*c)+", ""],
    ["(?:a|b)+", ""],
    ["(.*)*x", ""],
    ["[[a-z]--[aeiou]]", "v"],
    [`${"(".repeat(150)}a${")".repeat(150)}`, ""],
  ])("finds no bound for /%s/%s", (source, flags) => {
    expect(costOfRegex(source, flags)).toBeNull();
  });

  it("multiplies what can vary, so that many options are dear", () => {
    expect(costOfRegex("a?".repeat(40), "")?.ways).toBe(2 ** 40);
  });
});
