import { describe, expect, it } from "vitest";
import { activeMs } from "../__fixtures__/active-ms.js";
import { shortenDeadlines } from "../__fixtures__/shorten-deadlines.js";
import { compileRegex, RegexTimeout, costOfRegex, type SafeRegex } from "./safe-regex.js";

function compiled(source: string, flags?: string): SafeRegex {
  const result = compileRegex(source, flags);
  if (!result.success) throw new Error(result.error);
  return result.data;
}

describe("compileRegex", () => {
  it.each([
    ["^ORD-\\d+$", "", "ORD-12", true],
    ["^ORD-\\d+$", "", "xORD-12", false],
    ["ord", "i", "My ORDER", true],
    ["^b", "m", "a\nb", true],
    ["a.b", "s", "a\nb", true],
    ["^\\p{Lu}", "u", "Äpfel", true],
    ["(?:cat|dog)+s", "", "catdogs", true],
    ["(?:cat|dog)+s", "", "bird", false],
  ])("/%s/%s on %j is %s", (source, flags, text, expected) => {
    expect(compiled(source, flags).test(text)).toBe(expected);
  });

  it("gives the same answer however often it is asked", () => {
    const regex = compiled("a");
    expect([regex.test("a"), regex.test("a"), regex.test("a")]).toEqual([true, true, true]);
  });

  it("finds the first and all matches with their places", () => {
    const regex = compiled("\\d+");
    expect(regex.firstMatch("a 12 b 345")).toEqual({ text: "12", index: 2 });
    expect(regex.firstMatch("none")).toBeNull();
    expect(regex.allMatches("1 22 333", 2)).toEqual([
      { text: "1", index: 0 },
      { text: "22", index: 2 },
    ]);
    expect(regex.allMatches("1", 0)).toEqual([]);
    expect(compiled("").allMatches("ab", 10)).toHaveLength(3);
    expect(compiled("a/b", "i").toString()).toBe("/a/b/i");
  });

  it.each([
    ["(", "", /Unterminated group/],
    ["a", "g", /Unknown flag "g"; the flags are i, m, s, u and v/],
    ["a", "ii", /flags/i],
    ["(?i)abc", "", /write flags such as \(\?i\) as flags: i/],
  ])("refuses /%s/%s", (source, flags, reason) => {
    const result = compileRegex(source, flags);
    expect(result.success ? "" : result.error).toMatch(reason);
  });

  it.each([
    ["(a|aa)+$", `${"a".repeat(60)}b`],
    ["(a*)".repeat(6) + "b", "a".repeat(300)],
    ["(\\w*)*\\1x", "w".repeat(40)],
  ])("stops /%s/ when it backtracks without end, and works on", (source, text) => {
    const { deadlines, restore } = shortenDeadlines();
    const stall = (): unknown => compiled(source).test(text);
    expect(activeMs(() => expect(stall).toThrow(RegexTimeout))).toBeLessThan(1_000);
    expect(deadlines.at(-1)).toBe(250);
    restore();
    expect(compiled("(?:a|b)+c").test("abc")).toBe(true);
  });

  it("lets a pattern that backtracks without end have 250 ms", () => {
    const stall = (): unknown => compiled("(a+)+$").test(`${"a".repeat(40)}b`);
    const startedAt = performance.now();
    expect(activeMs(() => expect(stall).toThrow(RegexTimeout))).toBeLessThan(1_000);
    expect(performance.now() - startedAt).toBeGreaterThan(200);
    expect(compiled("(?:a|b)+c").test("abc")).toBe(true);
  });

  it.each(["a?", "(?:a)?", "[ab]??", "\\d{0,1}", "(a)?"])(
    "refuses a long row of %s, which V8 cannot compile in time",
    (part) => {
      const compile = (): void => {
        expect(compileRegex(part.repeat(60) + "a".repeat(60))).toEqual({
          success: false,
          error: "It has more than 24 optional characters in a row",
        });
        expect(compileRegex(part.repeat(20) + "a".repeat(20)).success).toBe(true);
      };
      expect(activeMs(compile)).toBeLessThan(1_000);
    },
  );

  it("takes little time for a long text and a simple pattern", () => {
    const text = "lorem ipsum ".repeat(20_000);
    expect(activeMs(() => expect(compiled("\\bdolor\\w*").test(text)).toBe(false))).toBeLessThan(250);
  });
});

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
