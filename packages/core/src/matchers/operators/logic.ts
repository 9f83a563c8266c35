import { everyNode, joinWords, type MatcherNode } from "../matcher-node.js";
import type { MatcherOperator } from "../operator.js";

/** `$not: m`: whatever `m` does not match, absence included unless `m` matches absence. */
export const not: MatcherOperator = {
  compile: (operand, parser) => {
    const inner = parser.matcher(operand);
    return alternativesNode(
      { $not: operand },
      (value) => !inner.accepts(value),
      (room) => `not ${inner.describe(room)}`,
    );
  },
};

/** `$one_of: [m…]`: at least one matches. */
export const one_of: MatcherOperator = {
  compile: (operand, parser) => {
    const nodes = parser.matchers(operand);
    const accepts = (value: unknown): boolean => {
      for (const node of nodes) if (node.accepts(value)) return true;
      return false;
    };
    return alternativesNode({ $one_of: operand }, accepts, (room) => `one of ${joinWords(nodes, ", ", room)}`);
  },
};

/** `$all_of: [m…]`: every one matches. */
export const all_of: MatcherOperator = {
  compile: (operand, parser) => everyNode({ $all_of: operand }, parser.matchers(operand)),
};

/** `$exact: v`: as `v`, but no object in it may have further keys. Operators in `v` still work. */
export const exact: MatcherOperator = {
  compile: (operand, parser) => exactly({ $exact: operand }, parser.closed(operand)),
};

/** `$literal: v`: deeply equal to `v`, in which nothing is an operator. */
export const literal: MatcherOperator = {
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
