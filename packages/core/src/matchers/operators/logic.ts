import { everyNode, joinWords, type MatcherNode } from "../matcher-node.js";
import type { MatcherOperator } from "../operator.js";

export const not: MatcherOperator = {
  summary: "What the matcher does not match.",
  example: "cancelled",
  takesMatcher: true,
  compile: (operand, parser) => {
    const inner = parser.matcher(operand);
    return alternativesNode(
      { $not: operand },
      (value) => !inner.accepts(value),
      (room) => `not ${inner.describe(room)}`,
    );
  },
};

export const one_of: MatcherOperator = {
  summary: "What one of the matchers matches.",
  example: ["open", "shipped"],
  takesMatcher: true,
  compile: (operand, parser) => {
    const nodes = parser.matchers(operand);
    const accepts = (value: unknown): boolean => {
      for (const node of nodes) if (node.accepts(value)) return true;
      return false;
    };
    return alternativesNode({ $one_of: operand }, accepts, (room) => `one of ${joinWords(nodes, ", ", room)}`);
  },
};

export const all_of: MatcherOperator = {
  summary: "What all of the matchers match.",
  example: [{ $starts_with: "ORD-" }, { $not: "ORD-1" }],
  takesMatcher: true,
  compile: (operand, parser) => everyNode({ $all_of: operand }, parser.matchers(operand)),
};

export const exact: MatcherOperator = {
  summary: "The same value, with no further keys at any depth.",
  example: { amount: 1250, currency: "EUR" },
  takesMatcher: true,
  compile: (operand, parser) => exactly({ $exact: operand }, parser.closed(operand)),
};

export const literal: MatcherOperator = {
  summary: "A plain value, even if it looks like an operator.",
  example: { $gt: 5 },
  compile: (operand, parser) => exactly({ $literal: operand }, parser.literal(operand)),
};

/** A choice cannot say which of its branches was meant, so it explains itself as a whole. */
function alternativesNode(
  source: unknown,
  accepts: (value: unknown) => boolean,
  describe: (room: number) => string,
): MatcherNode {
  return {
    source,
    isPlain: false,
    accepts,
    explain: (value, report) => {
      if (!accepts(value)) report.add(describe(120), value);
    },
    describe,
  };
}

function exactly(source: unknown, node: MatcherNode): MatcherNode {
  const isScalar = typeof node.source !== "object" || node.source === null;
  if (isScalar) return { ...node, isPlain: false };
  return { ...node, source, isPlain: false, describe: (room) => `exactly ${node.describe(room)}` };
}
