import { normalizeText } from "../../values/normalize-text.js";
import { wordsNode, type MatcherNode } from "../matcher-node.js";
import type { MatcherOperator } from "../operator.js";
import { compileRegex } from "../safe-regex.js";

export const regex: MatcherOperator = {
  summary: "A string in which the regular expression finds a match; it is not anchored.",
  example: "^ORD-",
  modifiers: { $flags: { summary: "Flags of the regular expression.", example: "i" } },
  compile: (operand, parser) => {
    if (typeof operand !== "string") return parser.problem("$regex takes a string");
    const flags = parser.modifier("$flags") ?? "";
    if (typeof flags !== "string") return parser.problem("$flags takes a string such as i", { modifier: "$flags" });
    const compiled = compileRegex(operand, flags);
    if (!compiled.success) return parser.problem(`The regular expression does not compile: ${compiled.error}`);
    const pattern = compiled.data;
    return textNode({ $regex: operand }, `matching ${pattern.toString()}`, (text) => pattern.test(text));
  },
};

export const contains = textOperator("$contains", "A string that contains this one.", (wanted) => [
  `containing ${JSON.stringify(wanted)}`,
  (text) => text.includes(wanted),
]);

export const starts_with = textOperator("$starts_with", "A string that starts with this one.", (wanted) => [
  `starting with ${JSON.stringify(wanted)}`,
  (text) => text.startsWith(wanted),
]);

export const ends_with = textOperator("$ends_with", "A string that ends with this one.", (wanted) => [
  `ending with ${JSON.stringify(wanted)}`,
  (text) => text.endsWith(wanted),
]);

export const ignore_case = textOperator("$ignore_case", "The same text, ignoring case.", (wanted) => {
  const folded = foldCase(wanted);
  return [`${JSON.stringify(wanted)} in any case`, (text) => foldCase(text) === folded];
});

export const normalized: MatcherOperator = {
  summary: "The same text, ignoring case, whitespace, quotes and `,./-_*^`, or only the characters of `$ignoring`.",
  example: "Springfield",
  modifiers: { $ignoring: { summary: "The only characters that are ignored, in addition to case.", example: " ,-" } },
  compile: (operand, parser) => {
    if (typeof operand !== "string") return parser.problem("$normalized takes a string");
    const signs = parser.modifier("$ignoring");
    if (signs !== undefined && typeof signs !== "string") {
      return parser.problem('$ignoring takes the signs to leave out, such as " ,-"', { modifier: "$ignoring" });
    }
    const ignored = signs === undefined ? ignorable : signsPattern(signs);
    const normalize = (text: string): string => foldCase(text.replaceAll(ignored, ""));
    const folded = normalize(operand);
    const words = signs === undefined ? "whitespace and punctuation" : `and the signs ${JSON.stringify(signs)}`;
    return textNode(
      { $normalized: operand, ...(signs === undefined ? {} : { $ignoring: signs }) },
      `${JSON.stringify(operand)} but for case${signs === undefined ? "," : ""} ${words}`,
      (text) => text === operand || normalize(text) === folded,
    );
  },
};

function textOperator(
  name: string,
  summary: string,
  test: (wanted: string) => [words: string, accepts: (text: string) => boolean],
): MatcherOperator {
  return {
    summary,
    example: "delivered",
    compile: (operand, parser) => {
      if (typeof operand !== "string") return parser.problem(`${name} takes a string`);
      return textNode({ [name]: operand }, ...test(operand));
    },
  };
}

function textNode(source: unknown, words: string, accepts: (text: string) => boolean): MatcherNode {
  return wordsNode(source, words, (value) => typeof value === "string" && accepts(value));
}

/** Upper case first, so that ß and ss, σ and ς are the same. */
function foldCase(text: string): string {
  return normalizeText(text, "NFC").toUpperCase().toLowerCase();
}

const ignorable = /[\s,./\-_*^'"`\u2018-\u201f\u00ab\u00bb\u2039\u203a]/g;

/** A space stands for any whitespace, a straight quote for its typographic forms too. */
const kindsOfSign: Readonly<Record<string, string>> = {
  " ": "\\s",
  "'": "'\u2018-\u201b\u2039\u203a",
  '"': '"\u201c-\u201f\u00ab\u00bb',
};

function signsPattern(signs: string): RegExp {
  const members = signs.split("").map((sign) => kindsOfSign[sign] ?? sign.replace(/[\\\]^-]/, "\\$&"));
  // An empty class matches nothing.
  return new RegExp(`[${members.join("")}]`, "g");
}
