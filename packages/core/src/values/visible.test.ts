import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../__fixtures__/any-text.js";
import { visible, visibleLine } from "./visible.js";

describe("visible", () => {
  it.each([
    ["plain: text :: here", "plain: text :: here"],
    ["red \u001b[31m", String.raw`red \u001b[31m`],
    ["a\u202eb\u200bc", String.raw`a\u202eb\u200bc`],
    ["tab\tand\nline", "tab\tand\nline"],
    ["bell\u0007", String.raw`bell\u0007`],
    ["\ud800", String.raw`\ud800`],
    ["𝄞 stays", "𝄞 stays"],
    ["\r", String.raw`\u000d`],
    ["::error::boo", String.raw`\u003a:error::boo`],
    ["fine\n  ::add-mask::x", String.raw`fine` + "\n  " + String.raw`\u003a:add-mask::x`],
    ["see ##[error]boo", String.raw`see #\u0023[error]boo`],
    ["# [link]", "# [link]"],
  ])("%j", (text, shown) => {
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
        expect(visibleLine(text)).not.toMatch(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
