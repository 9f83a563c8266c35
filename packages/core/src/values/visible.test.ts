import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../__fixtures__/any-text.js";
import { visible, visibleLine } from "./visible.js";

describe("visible", () => {
  it.each([
    ["plain: text :: here", "plain: text :: here"],
    ["red \u001b[31m", "red ␛[31m"],
    ["\u0000\u0007\b\r\u001f\u007f", "␀␇␈␍␟␡"],
    ["c1 \u009b31m \u0085", String.raw`c1 \u009b31m \u0085`],
    ["a\u202eb\u200bc\u2066d\u061ce", String.raw`a\u202eb\u200bc\u2066d\u061ce`],
    ["soft\u00adhyphen\ufeff\u2028\u3164", String.raw`soft\u00adhyphen\ufeff\u2028\u3164`],
    ["tab\tand\nline", "tab\tand\nline"],
    ["\ud800 \udc00", String.raw`\ud800 \udc00`],
    ["𝄞 stays", "𝄞 stays"],
    ["::error::boo", String.raw`\u003a:error::boo`],
    ["fine\n  ::add-mask::x", String.raw`fine` + "\n  " + String.raw`\u003a:add-mask::x`],
    ["see ##[error]boo", String.raw`see #\u0023[error]boo`],
    ["# [link]", "# [link]"],
  ])("%j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it.each(["👩‍👩‍👧‍👦", "👨🏽‍⚕️", "🏳️‍🌈", "❤‍🔥", "🇯🇵", "1️⃣", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "葛󠄀", "مرحبا", "e\u0301"])(
    "leaves a character that consists of several: %s",
    (character) => {
      expect(visible(character)).toBe(character);
    },
  );

  it.each([
    ["👩\u200d", String.raw`👩\u200d`],
    ["👩\u200d\u200d👧", String.raw`👩\u200d\u200d👧`],
    ["a\u200d👧", String.raw`a\u200d👧`],
    ["a\u200db", String.raw`a\u200db`],
    ["hi\u{e0068}\u{e0069}", String.raw`hi\u{e0068}\u{e0069}`],
    [`🏴${"\u{e0061}".repeat(9)}`, `🏴${"\u{e0061}".repeat(7)}${String.raw`\u{e0061}\u{e0061}`}`],
    ["x\ufe01\ufe02\u{e0101}", `x\ufe01${String.raw`\ufe02\u{e0101}`}`],
  ])("shows what only looks like a part of one: %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it("leaves no line that a CI system would take for a command", () => {
    const text = fc.array(fc.constantFrom(":", "::", "#", "##", "[", " ", "\t", "\n", "\r", "\u2028", "x"), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, (parts) => {
        for (const line of visible(parts.join("")).split(/\r\n|\n|\r/)) {
          expect(line.trimStart().startsWith("::")).toBe(false);
          expect(line).not.toContain("##[");
        }
      }),
    );
  });
});

describe("visibleLine", () => {
  it("is one line", () => {
    expect(visibleLine("a\nb\tc")).toBe(String.raw`a\nb\tc`);
  });

  it("leaves no control character in any text", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(visibleLine(text)).not.toMatch(/\p{Cc}|\p{Cs}|\p{Bidi_Control}|[\u200b\u200c\ufeff]/u);
      }),
    );
  });
});
