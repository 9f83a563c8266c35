import { normalizeText } from "../../values/normalize-text.js";
import { wordsNode, type MatcherNode } from "../matcher-node.js";
import type { MatcherOperator } from "../operator.js";
import { compileRegex } from "../safe-regex.js";

/** `$regex: pattern` with `$flags`: found anywhere in a string. */
export const regex: MatcherOperator = {
  modifiers: ["$flags"],
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

/** `$contains: s`: a string with `s` in it. */
export const contains = textOperator("$contains", (wanted) => [
  `containing ${JSON.stringify(wanted)}`,
  (text) => text.includes(wanted),
]);

export const starts_with = textOperator("$starts_with", (wanted) => [
  `starting with ${JSON.stringify(wanted)}`,
  (text) => text.startsWith(wanted),
]);

export const ends_with = textOperator("$ends_with", (wanted) => [
  `ending with ${JSON.stringify(wanted)}`,
  (text) => text.endsWith(wanted),
]);

/** `$ignore_case: s`: the same text but for case. */
export const ignore_case = textOperator("$ignore_case", (wanted) => {
  const folded = foldCase(wanted);
  return [`${JSON.stringify(wanted)} in any case`, (text) => foldCase(text) === folded];
});

/**
 * `$normalized: s`: the same text once case, whitespace, quotes and `,./-_*^` are left out on both sides; with
 * `$ignoring: signs` once case and these signs are, so `1.5` need not be `15`.
 */
export const normalized: MatcherOperator = {
  modifiers: ["$ignoring"],
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
  test: (wanted: string) => [words: string, accepts: (text: string) => boolean],
): MatcherOperator {
  return {
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
