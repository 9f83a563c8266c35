import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import wrapAnsi from "wrap-ansi";
import { fitMiddle, fitWidth, hangWidth, rowsOf } from "./text-width.js";

describe("fitWidth", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["abc", 0, ""],
  ])("cuts %s to %i columns", (text, columns, expected) => {
    expect(fitWidth(text, columns)).toBe(expected);
  });
});

describe("fitMiddle", () => {
  it.each([
    ["abc", 3, "abc"],
    ["refunds/full-refund[delta]@gpt", 20, "refund…nd[delta]@gpt"],
    ["日本語日本語", 7, "日…本語"],
    ["abc", 1, "…"],
    ["abc", 0, ""],
  ])("cuts %s to %i columns", (text, columns, expected) => {
    expect(fitMiddle(text, columns)).toBe(expected);
  });
});

describe("hangWidth", () => {
  it("leaves lines that need no break as wrap-ansi does", () => {
    const pieces = ["a", "bc", " ", "…", "✓", "\u001b[1m", "\u001b[22m", "\u001b]8;;https://x.example\u0007"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), fc.nat({ max: 3 }), (parts, room) => {
        const line = `${parts.join("")}.`;
        const columns = stripVTControlCharacters(line).length + room;
        const [first] = wrapAnsi(line, columns, { hard: true, trim: false }).split("\n");
        expect(hangWidth("", line, columns)[0]).toBe(first);
      }),
    );
  });

  it("breaks styled text where it breaks plain text, and leaves no blanks at ends", () => {
    const text = "one two · three four";
    for (let columns = 4; columns < 24; columns += 1) {
      const styled = hangWidth("  ", `\u001b[2m${text}\u001b[22m`, columns);
      expect(styled.map((line) => stripVTControlCharacters(line))).toEqual(hangWidth("  ", text, columns));
    }
    expect(hangWidth("", "a b  ", 3)).toEqual(["a b"]);
  });

  it("leaves characters of several whole", () => {
    expect(hangWidth("", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 4)).toEqual(["👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"]);
  });
});

describe("rowsOf", () => {
  it.each([
    ["", 10, 1],
    ["a".repeat(10), 10, 1],
    ["a".repeat(11), 10, 2],
    [`\u001b[31m${"a".repeat(10)}\u001b[39m`, 10, 1],
    ["日本語日本", 10, 1],
    // One column of each row stays empty.
    ["日本語日本", 3, 5],
    ["日本語日本", 5, 3],
  ])("%j takes in %i columns: %i", (line, columns, rows) => {
    expect(rowsOf(line, columns)).toBe(rows);
  });
});
