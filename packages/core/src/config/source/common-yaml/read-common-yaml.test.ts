import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../../../__fixtures__/draws.js";
import { changedText, documentText, example, linesText, piecesText } from "./__fixtures__/arbitrary-yaml.js";
import { composeYaml } from "../compose-yaml.js";
import { readCommonYaml } from "./read-common-yaml.js";

/** What is read is what the library reads, with the same places, and nothing is read that the library rejects. */
function expectAgreement(text: string): boolean {
  const read = readCommonYaml(text);
  if (read === null) return false;
  expect(composeYaml({ path: "/p/a.yaml", file: "a.yaml", text, order: 0 })).toEqual({ success: true, data: read });
  return true;
}

describe("readCommonYaml", () => {
  it.each([
    "a: 1\nb: [x, true, null, ~, 1.5, -0, +5, 007]\n",
    "# head\n\na: 1 # one\n# between\nb:\n  # inside\n  - x\n  -\n    c: d\n  - - y\n# tail\n",
    "list:\n- name: a\n  tags: [x,\n    y, # why\n    { z: 1, }]\n- name: b\nempty:\nlast: {\n  k: 'it''s',\n}\n",
    'a: "say \\"hi\\"\\n\\tand \\\\ \\/"\n"quoted key": x\n\'single\': {"a":1,"b":[]}\n',
    "a: |\n  one\n\n    two\n  three\n\n\nb: >-\n\n  folded\n  text\n\n  here\nc:\n  - |\n   x\n",
    "a: 1\r\nb: |\r\n  one\r\n\r\n  two\r\nc: [x,\r\n  y]\r\n",
    "---\nurl: http://x:80/#a\ntime: 12:30\ndate: 2024-01-01\nb: a#b\n",
    '{\n  "a": [1, 2, {"b": null}],\n  "c": "d"\n}\n',
    "just text",
  ])("reads %j", (text) => {
    expect(expectAgreement(text)).toBe(true);
  });

  it("reads the example config", () => {
    expect(expectAgreement(example)).toBe(true);
  });

  it.each([
    ["an anchor", "a: &x 1"],
    ["an alias", "a: *x"],
    ["a tag", "a: !x 1"],
    ["a merge key", "a: { <<: x }"],
    ["a tab", "a:\t1"],
    ["a return without a line feed", "a: 1\rb: 2"],
    ["text over several lines", "a: one\n  two"],
    ["quoted text over several lines", "a: 'one\n  two'"],
    ["a rare escape", 'a: "\\x41"'],
    ["a rare number", "a: 0x1F"],
    ["a number with too many digits", "a: 12345678901234567890"],
    ["an explicit key", "? a\n: 1"],
    ["a key without a value in brackets", "{ a }"],
    ["a pair in a list", "[a: 1]"],
    ["several documents", "a: 1\n---\nb: 2"],
    ["a key that is there twice", "a: 1\na: 2"],
    ["__proto__", "__proto__: 1"],
    ["a placeholder without quotes", "a: {{x}}"],
    ["a space before a colon", "a : 1"],
    ["a line that belongs to nothing", "a:\n    b: 1\n  c: 2"],
    ["a list on the line of its key", "a: - b"],
    ["a mapping on the line of its key", "a: b: c"],
    ["a bracket that is not closed", "a: [1, 2"],
    ["brackets that are not indented", "a:\n  b: [1,\n  2]"],
    ["a comment without a space", "a: 'b'#c"],
    ["very deep nesting", `a: ${"[".repeat(150)}${"]".repeat(150)}`],
    ["nothing", ""],
  ])("leaves %s to the library", (_, text) => {
    expect(readCommonYaml(text)).toBe(null);
  });

  it("agrees with the library on what it writes, in every style", () => {
    let read = 0;
    const runs = draws({ brief: 150, full: 10_000 });
    fc.assert(
      fc.property(documentText, (text) => {
        if (expectAgreement(text)) read += 1;
      }),
      { numRuns: runs },
    );
    expect(read).toBeGreaterThan(runs / 4);
  });

  it.each([
    ["documents that were changed at random", changedText, { brief: 400, full: 20_000 }],
    ["pieces of YAML in any order", piecesText, { brief: 1_000, full: 50_000 }],
    ["lines of YAML in any order", linesText, { brief: 1_500, full: 50_000 }],
  ] as const)("agrees with the library on %s", (_, texts, runs) => {
    fc.assert(
      fc.property(texts, (text) => void expectAgreement(text)),
      { numRuns: draws(runs) },
    );
  });
});
