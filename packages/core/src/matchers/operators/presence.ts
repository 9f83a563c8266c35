import { wordsNode } from "../matcher-node.js";
import type { MatcherOperator } from "../operator.js";

/** `$any: true`: whatever is there, null included. */
export const any: MatcherOperator = {
  compile: (operand, parser) =>
    operand === true
      ? wordsNode({ $any: true }, "any value", (value) => value !== undefined)
      : parser.problem("$any takes true"),
};

/** `$absent: true`: not there at all; null is there. `$absent: false` is the same as `$any: true`. */
export const absent: MatcherOperator = {
  compile: (operand, parser) => {
    if (operand === true) return wordsNode({ $absent: true }, "absent", (value) => value === undefined);
    if (operand === false) return wordsNode({ $absent: false }, "any value", (value) => value !== undefined);
    return parser.problem("$absent takes true or false");
  },
};

/** `$optional: m`: absent, or matching. */
export const optional: MatcherOperator = {
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
