import fc from "fast-check";
import { expect, it } from "vitest";
import { draws } from "../../__fixtures__/draws.js";
import { activeMs } from "../../__fixtures__/active-ms.js";
import { parseAnswerJson } from "./parse-answer-json.js";

/** What a fenced block is, which takes time with the square of its spaces. */
const fenced = /^(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n?[ \t]*\1$/;

it("finds the inside of every fence", () => {
  const parts = fc.constantFrom("```", "~~~", "`", "~", "\n", " ", "\t", "json", "1", '{"a":1}');
  fc.assert(
    fc.property(
      fc.array(parts, { maxLength: 9 }),
      fc.constantFrom("", "```", "~~~~", "```json\n", "~~~\n"),
      (pieces, start) => {
        const text = `${start}${pieces.join("")}`.trim();
        const inside = fenced.exec(text)?.[2];
        const isRefused = parseAnswerJson(text, true);
        expect(!isRefused.success && isRefused.error.includes("code fence")).toBe(inside !== undefined);
        expect(parseAnswerJson(text, false).success).toBe(parseAnswerJson(inside ?? text, true).success);
      },
    ),
    { numRuns: draws({ brief: 1_000, full: 100_000 }) },
  );
});

it("takes time in proportion to the length of the answer", () => {
  const text = `\`\`\`\n${" ".repeat(500_000)}x`;
  expect(activeMs(() => expect(parseAnswerJson(text, false).success).toBe(false))).toBeLessThan(500);
});
