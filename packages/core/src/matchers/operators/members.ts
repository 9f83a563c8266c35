import { memberOf } from "../../values/exact-integers.js";
import { isRecord } from "../../values/json.js";
import { joinWords, wordsNode, type MatcherNode, type MismatchReport } from "../matcher-node.js";
import type { MatcherOperator } from "../operator.js";
import { maximumPairing } from "../pairing.js";

export const length: MatcherOperator = {
  summary: "A string or list whose length matches.",
  example: 3,
  takesMatcher: true,
  compile: (operand, parser) => {
    const inner = parser.matcher(operand);
    return wordsNode({ $length: operand }, `of length ${inner.describe(120)}`, (value) => {
      if (Array.isArray(value)) return inner.accepts(value.length);
      return typeof value === "string" && inner.accepts(countCharacters(value));
    });
  },
};

export const includes: MatcherOperator = {
  summary: "A list with at least one element that matches.",
  example: "urgent",
  takesMatcher: true,
  compile: (operand, parser) => {
    const inner = parser.matcher(operand);
    return wordsNode(
      { $includes: operand },
      `including ${inner.describe(120)}`,
      (value) => Array.isArray(value) && elementsOf(value).some((element) => inner.accepts(element)),
    );
  },
};

export const every: MatcherOperator = {
  summary: "A list whose elements all match.",
  example: { $gt: 0 },
  takesMatcher: true,
  compile: (operand, parser) => {
    const inner = parser.matcher(operand);
    const describe = (room: number): string => `a list with every element ${inner.describe(room)}`;
    return {
      source: { $every: operand },
      isPlain: false,
      accepts: (value) => Array.isArray(value) && elementsOf(value).every((element) => inner.accepts(element)),
      explain: (value, report) => {
        if (!Array.isArray(value)) return report.add(describe(120), value);
        for (let index = 0; index < value.length && !report.isFull(); index += 1) {
          report.explainAt(index, inner, memberOf(value, index));
        }
      },
      describe,
    };
  },
};

export const unordered: MatcherOperator = {
  summary: "A list with the same elements in any order.",
  example: ["urgent", "refund"],
  takesMatcher: true,
  compile: (operand, parser) => {
    if (!Array.isArray(operand)) return parser.problem("$unordered takes a list");
    const nodes = operand.map((raw: unknown, index) => parser.matcher(raw, index));
    const accepts = (value: unknown): boolean =>
      Array.isArray(value) && value.length === nodes.length && !pair(nodes, elementsOf(value)).includes(null);
    const describe = (room: number): string => `in any order [${joinWords(nodes, ", ", room)}]`;
    return {
      source: { $unordered: operand },
      isPlain: false,
      accepts,
      explain: (value, report) => {
        if (!Array.isArray(value)) report.add(describe(120), value);
        else explainUnpaired(nodes, elementsOf(value), report);
      },
      describe,
    };
  },
};

export const keys: MatcherOperator = {
  summary: "An object with exactly these keys.",
  example: ["order_id", "amount"],
  compile: (operand, parser) => {
    if (!Array.isArray(operand) || !operand.every((key) => typeof key === "string")) {
      return parser.problem("$keys takes a list of strings");
    }
    const wanted = new Set(operand);
    const keysOf = (value: object): [string, unknown][] =>
      Object.entries(value).filter(([, member]) => member !== undefined);
    const words = `an object with exactly the keys ${operand.map((key) => JSON.stringify(key)).join(", ") || "(none)"}`;
    return {
      source: { $keys: operand },
      isPlain: false,
      accepts: (value) => {
        if (!isRecord(value)) return false;
        const found = keysOf(value);
        return found.length === wanted.size && found.every(([key]) => wanted.has(key));
      },
      explain: (value, report) => {
        if (!isRecord(value)) return report.add(words, value);
        const found = new Map(keysOf(value));
        for (const key of wanted) if (!found.has(key)) report.addAt(key, "any value", undefined);
        for (const [key, member] of found) if (!wanted.has(key)) report.addAt(key, "absent", member);
      },
      describe: () => words,
    };
  },
};

function elementsOf(value: readonly unknown[]): readonly unknown[] {
  return [...value.keys()].map((index) => memberOf(value, index));
}

function pair(nodes: readonly MatcherNode[], values: readonly unknown[]): readonly (number | null)[] {
  return maximumPairing(nodes, values, (node, value) => node.accepts(value));
}

/** What was left over on both sides is compared in order, because a near miss is likelier than a stranger. */
function explainUnpaired(nodes: readonly MatcherNode[], values: readonly unknown[], report: MismatchReport): void {
  const partners = pair(nodes, values);
  const paired = new Set(partners);
  const leftOver = nodes.filter((_, index) => partners[index] === null);
  const strangers = [...values.keys()].filter((index) => !paired.has(index));
  for (const [position, node] of leftOver.entries()) {
    const index = strangers[position];
    if (index === undefined) report.add(`an element ${node.describe(120)}`, undefined);
    else report.explainAt(index, node, values[index]);
  }
  for (const index of strangers.slice(leftOver.length)) report.addAt(index, "absent", values[index]);
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
