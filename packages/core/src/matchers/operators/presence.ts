import { wordsNode } from "../matcher-node.js";
import type { MatcherOperator } from "../operator.js";

export const any: MatcherOperator = {
  summary: "Any value, including null.",
  example: true,
  compile: (operand, parser) =>
    operand === true
      ? wordsNode({ $any: true }, "any value", (value) => value !== undefined)
      : parser.problem("$any takes true"),
};

export const absent: MatcherOperator = {
  summary: "Nothing: the key does not exist.",
  example: true,
  compile: (operand, parser) => {
    if (operand === true) return wordsNode({ $absent: true }, "absent", (value) => value === undefined);
    if (operand === false) return wordsNode({ $absent: false }, "any value", (value) => value !== undefined);
    return parser.problem("$absent takes true or false");
  },
};

export const optional: MatcherOperator = {
  summary: "Nothing, or what the matcher matches.",
  example: { $contains: "broken" },
  takesMatcher: true,
  compile: (operand, parser) => {
    const inner = parser.matcher(operand);
    return {
      source: { $optional: operand },
      isPlain: false,
      accepts: (value) => value === undefined || inner.accepts(value),
      explain: (value, report) => {
        if (value !== undefined) inner.explain(value, report);
      },
      describe: (room) => `absent or ${inner.describe(room)}`,
    };
  },
};
