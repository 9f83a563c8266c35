import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { anyText } from "../../../../__fixtures__/any-text.js";
import { stringify, type ToStringOptions } from "yaml";

/** The example config. */
export const example = readFileSync(new URL("../../../../../../../kindlm.yaml.example", import.meta.url), "utf8");

const words =
  "a|b: |x y|- |-|, |,|:|#| # c|{|}|[|]|'|\"|'x'|\"y\"|\\n|12|1.5|true|~|<<: |é😀|&x |*x|!t |? |%|@|>|>-|{ a: 1 }|{{x}}";
const breaks =
  "|~|-~\n~\n\n~\n  ~\n    ~\n- ~\n  - ~\n# c\n~\n  # c~\n  a: 1~\nb: 2~\nc:\n~\n}~\n ]~\n---\n~\r\n~...~ ~  ";
const piece = fc.constantFrom(...words.split("|"), ...breaks.split("~"));

/** Mostly no YAML at all. */
export const piecesText = fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join(""));

const keys = ["a: ", "b: ", "c:", "d : ", "e  :", "'f': ", '"g":', "h i: ", "-j: ", "1: ", "true: ", "", ""];
const atoms = [
  "x",
  "x y",
  "x  # c",
  "x#y",
  "x:y",
  "-1",
  "007",
  "0x1",
  "~",
  "'it''s'",
  '"q\\n"',
  "'",
  "[x, y ]",
  "[ ]",
  "{ k: v }",
];
const others = [
  "{k:v}",
  '{"k":v,}',
  "[",
  "{",
  "]",
  "}",
  ", x",
  "|",
  ">-",
  "|+",
  "| # c",
  "&a x",
  "*a",
  "- x",
  "",
  " ",
  "# c",
];
const line = fc
  .tuple(
    fc.constantFrom("", "", "  ", "    ", " "),
    fc.constantFrom("", "", "- ", "- - ", "-   ", "# ", "-"),
    fc.constantFrom(...keys),
    fc.constantFrom(...atoms, ...others),
    fc.constantFrom("\n", "\n", "\n", " \n", "\n\n", "\n   \n", "\r\n"),
  )
  .map((parts) => parts.join(""));

/** Often YAML. */
export const linesText = fc.array(line, { maxLength: 6 }).map((lines) => lines.join(""));

const texts = fc.oneof(
  anyText({ maxLength: 12 }),
  fc.constantFrom(
    "a",
    "hello world",
    " lead",
    "x: y",
    "a #b",
    "- d",
    "one\ntwo",
    "one\n\n  two\n",
    "12",
    "true",
    "~",
    "---",
  ),
  fc.constantFrom(
    "it's",
    '"q"',
    "back\\slash",
    "{{x}}",
    "[x]",
    "a, b",
    "<<",
    "0o7",
    "-0",
    "1e5",
    "a\u2028b",
    "\ufeffb",
  ),
  fc.constant("a line that is long enough to be folded ".repeat(4)),
);

const styles: fc.Arbitrary<ToStringOptions> = fc.record({
  indent: fc.constantFrom(2, 3, 4),
  indentSeq: fc.boolean(),
  lineWidth: fc.constantFrom(0, 40, 80),
  collectionStyle: fc.constantFrom("any", "block", "flow"),
  defaultStringType: fc.constantFrom("PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL", "BLOCK_FOLDED"),
  defaultKeyType: fc.constantFrom("PLAIN", "QUOTE_DOUBLE", null),
});

const values = fc.letrec((tie) => ({
  node: fc.oneof({ maxDepth: 4 }, texts, fc.constantFrom(null, true, 0, -1.5, 1e21), tie("list"), tie("mapping")),
  list: fc.array(tie("node"), { maxLength: 3 }),
  mapping: fc.dictionary(fc.oneof(fc.constantFrom("name", "input", "x-y", "1"), texts), tie("node"), { maxKeys: 4 }),
})).mapping;

/** YAML as the library writes it. */
export const documentText = fc.tuple(values, styles).map(([value, style]) => stringify(value, style));

const exampleLines = example.split("\n");
const exampleText = fc
  .tuple(fc.nat(exampleLines.length - 1), fc.integer({ min: 1, max: 30 }))
  .map(([from, count]) => exampleLines.slice(from, from + count).join("\n"));

type Edit = readonly [kind: number, place: number, text: string];

const edits = fc.array(fc.tuple(fc.nat(4), fc.double({ min: 0, max: 1, noNaN: true }), piece), { maxLength: 4 });

function edit(text: string, list: readonly Edit[]): string {
  return list.reduce((before, [kind, place, added]) => {
    const at = Math.floor(place * before.length);
    const lines = before.split("\n");
    const row = Math.min(Math.floor(place * lines.length), lines.length - 1);
    const indent = " ".repeat(added.length);
    switch (kind) {
      case 0:
        return before.slice(0, at) + before.slice(at + added.length);
      case 1:
        return before.slice(0, at) + added + before.slice(at);
      case 2:
        return lines.toSpliced(row, 1).join("\n");
      case 3:
        return lines.with(row, indent + (lines[row] ?? "")).join("\n");
      default:
        return before.replaceAll("\n", "\r\n");
    }
  }, text);
}

/** What is nearly YAML. */
export const changedText = fc.tuple(fc.oneof(documentText, exampleText), edits).map(([text, list]) => edit(text, list));
