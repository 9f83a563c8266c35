import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cosineSimilarity } from "./embedding-similarity.js";
import { lcsLength, rougeL } from "./rouge-l.js";
import { levenshteinSimilarity } from "./levenshtein-similarity.js";
import { splitWords } from "./split-words.js";

type Compare = (reference: string, answer: string, ignoresCase?: boolean) => number;

const rouge: Compare = (reference, answer, ignoresCase = true) => told(rougeL(reference, answer, ignoresCase));
const levenshtein: Compare = (reference, answer, ignoresCase = false) =>
  told(levenshteinSimilarity(reference, answer, ignoresCase));

function told(result: ReturnType<typeof rougeL>): number {
  if (!result.success) throw new Error(result.error);
  return result.data;
}

describe("splitWords", () => {
  it.each([
    ["Your order ORD-1, costs 49.99 €!", ["Your", "order", "ORD", "1", "costs", "49", "99"]],
    ["don’t", ["don", "t"]],
    ["Grüße, Ἀθῆναι и Москва", ["Grüße", "Ἀθῆναι", "и", "Москва"]],
    ["东京は晴れ", ["东", "京", "は", "晴", "れ"]],
    ["iPhone東京15", ["iPhone", "東", "京", "15"]],
    ["배송 완료", ["배송", "완료"]],
    ["หนังสือ", ["ห", "นั", "ง", "สื", "อ"]],
    ["नमस्ते दुनिया", ["नमस्ते", "दुनिया"]],
    ["👍 …", []],
  ])("%s", (text, words) => {
    expect(splitWords(text).map((word) => word.text)).toEqual(words);
  });
});

describe("rougeL", () => {
  /**
   * The candidates of the example in section 3.1 of Lin 2004. There β = 1 gives S2 3/4 and S3 2/4; S4's longest common
   * subsequence is 2 of 4 words.
   */
  it.each([
    ["police kill the gunman", 0.75],
    ["the gunman kill police", 0.5],
    ["the gunman police killed", 0.5],
    ["police killed the gunman", 1],
  ])("of the paper's example: %s is %d", (answer, score) => {
    expect(rouge("police killed the gunman", answer)).toBe(score);
  });

  it.each([
    // LCS "the cat the mat": 4 of 6 and 4 of 5 words.
    ["The cat sat on the mat.", "The cat, the big mat", 8 / 11],
    ["a b c d e", "f g", 0],
    ["Delivered", "DELIVERED!", 1],
    ["配送済みです", "配送中です", 8 / 11],
    ["👍", "👍", 1],
    ["👍", "👎", 0],
    ["", "", 1],
    ["something", "", 0],
  ])("of %j and %j", (reference, answer, score) => {
    expect(rouge(reference, answer)).toBeCloseTo(score, 12);
  });

  it("distinguishes upper from lower case where that counts", () => {
    expect(rouge("Ada Lovelace", "ada Lovelace", false)).toBe(0.5);
  });

  it("refuses what would take minutes, and compares long texts that have much in common", () => {
    const words = (name: string): string => Array.from({ length: 41_000 }, (_, index) => `${name}${index}`).join(" ");
    expect(rougeL(words("a"), words("b"), true)).toEqual({
      success: false,
      error: "the strings are too long to be compared: they differ within 41,000 and 41,000 words",
    });
    expect(rouge(`${words("a")} x ${words("b")}`, `${words("a")} y ${words("b")}`)).toBeCloseTo(164_000 / 164_002, 12);
    expect(rouge("a0 a1 a2", words("a"))).toBeCloseTo(6 / 41_003, 12);
  });
});

/** The table of the textbook. */
function slowLcs(first: readonly number[], second: readonly number[]): number {
  let previous = Array.from({ length: second.length + 1 }, () => 0);
  for (const one of first) {
    const row = [0];
    second.forEach((other, index) => {
      const best = Math.max(previous[index + 1] ?? 0, row[index] ?? 0);
      row.push(one === other ? (previous[index] ?? 0) + 1 : best);
    });
    previous = row;
  }
  return previous.at(-1) ?? 0;
}

it("finds the same longest common subsequence as the table of the textbook, over many columns of bits", () => {
  const long = fc.array(fc.nat({ max: 2 }), { minLength: 70, maxLength: 150 });
  const sequence = fc.oneof(long, fc.array(fc.nat({ max: 4 }), { maxLength: 40 }));
  fc.assert(
    fc.property(sequence, sequence, (first, second) => {
      expect(lcsLength(Uint32Array.from(first), Uint32Array.from(second), 5)).toBe(slowLcs(first, second));
    }),
  );
});

describe("levenshteinSimilarity", () => {
  it.each([
    ["kitten", "sitting", 1 - 3 / 7],
    ["Saturday", "Sunday", 1 - 3 / 8],
    ["flaw", "lawn", 0.5],
    ["", "", 1],
    ["abc", "", 0],
    ["ABC", "abc", 0],
    ["über", "u\u0308ber", 1],
    ["a\r\nb", " a\nb\n", 1],
    // One of two characters, although each is two units long.
    ["😀😁", "😀😂", 0.5],
    ["東京タワー", "東京タワ", 0.8],
  ])("of %j and %j", (reference, answer, score) => {
    expect(levenshtein(reference, answer)).toBeCloseTo(score, 12);
  });

  it("treats upper and lower case alike where asked", () => {
    expect(levenshtein("ABC", "abc", true)).toBe(1);
  });

  it("refuses what would take minutes", () => {
    expect(levenshteinSimilarity("a".repeat(50_000), "b".repeat(50_000), false)).toEqual({
      success: false,
      error: "the strings are too long to be compared: they differ within 50,000 and 50,000 characters",
    });
    expect(levenshtein("a".repeat(500_000), `${"a".repeat(500_000)}b`)).toBeCloseTo(500_000 / 500_001, 12);
  });
});

describe.each([
  ["ROUGE-L", rouge],
  ["Levenshtein", levenshtein],
])("the laws of %s", (_name, compare) => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc
      .array(fc.constantFrom("a", "b", "the", "ORD-1", "東京", "👍", "\r\n"), { maxLength: 40 })
      .map((all) => all.join(" ")),
  );

  it("is from 0 to 1, and 1 for a text and itself", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(compare(one, one)).toBe(1);
        expect(compare(one, other)).toBeGreaterThanOrEqual(0);
        expect(compare(one, other)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("is the same both ways, whatever the line ends and the space around", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(compare(one, other)).toBe(compare(other, one));
        expect(compare(`\n${one} `, other.replaceAll(/\r?\n/g, "\r\n"))).toBe(compare(one, other));
      }),
    );
  });
});

describe("cosineSimilarity", () => {
  it.each([
    [[1, 0], [0, 1], 0],
    [[1, 2, 3], [2, 4, 6], 1],
    [[1, 2], [-1, -2], -1],
    [[3, 4], [4, 3], 24 / 25],
    [[1e200, 1e200], [1e-200, 1e-200], 1],
  ])("of %j and %j is %d", (first, second, cosine) => {
    expect(cosineSimilarity(first, second)).toBeCloseTo(cosine, 12);
  });

  it.each([
    [
      [0, 0],
      [1, 1],
    ],
    [[], []],
    [[1], [1, 2]],
    [
      [Number.NaN, 1],
      [1, 1],
    ],
    [
      [Infinity, 1],
      [1, 1],
    ],
  ])("has no meaning for %j and %j", (first, second) => {
    expect(cosineSimilarity(first, second)).toBeNull();
  });

  it("is from -1 to 1, symmetric, and 1 for a vector and itself", () => {
    const vector = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(vector, vector, (one, other) => {
        const cosine = cosineSimilarity(one, other);
        expect(cosineSimilarity(other, one)).toBe(cosine);
        if (cosine !== null) expect(Math.abs(cosine)).toBeLessThanOrEqual(1);
        expect(cosineSimilarity(one, one) ?? 1).toBeCloseTo(1, 12);
      }),
    );
  });
});
