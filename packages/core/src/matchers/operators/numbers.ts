import { wordsNode } from "../matcher-node.js";
import type { MatcherOperator } from "../operator.js";

export const gt = boundOperator("$gt", "more than", (value, bound) => value > bound);
export const gte = boundOperator("$gte", "at least", (value, bound) => value >= bound);
export const lt = boundOperator("$lt", "less than", (value, bound) => value < bound);
export const lte = boundOperator("$lte", "at most", (value, bound) => value <= bound);

const defaultTolerance = 1e-9;

/**
 * `$approx: n` with `$tolerance: t`: at most `t` away from `n`. Without a tolerance: at most 1e-9 away, or 1e-9 of the
 * larger magnitude where that is more.
 */
export const approx: MatcherOperator = {
  modifiers: ["$tolerance"],
  compile: (operand, parser) => {
    if (typeof operand !== "number" || !Number.isFinite(operand)) return parser.problem("$approx takes a number");
    const tolerance = parser.modifier("$tolerance");
    if (tolerance === undefined) {
      return wordsNode({ $approx: operand }, `about ${operand}`, (value) => {
        if (typeof value !== "number") return false;
        return Math.abs(value - operand) <= defaultTolerance * Math.max(1, Math.abs(value), Math.abs(operand));
      });
    }
    if (typeof tolerance !== "number" || !(tolerance >= 0)) {
      return parser.problem("$tolerance takes a number of at least 0", { modifier: "$tolerance" });
    }
    return wordsNode(
      { $approx: operand, $tolerance: tolerance },
      `${operand} ± ${tolerance}`,
      // The rounding of the subtraction must not push 0.3 out of 0.1 ± 0.2.
      (value) =>
        typeof value === "number" &&
        Math.abs(value - operand) <= tolerance + Number.EPSILON * Math.max(Math.abs(value), Math.abs(operand)),
    );
  },
};

function boundOperator(name: string, words: string, holds: (value: number, bound: number) => boolean): MatcherOperator {
  return {
    compile: (operand, parser) => {
      if (typeof operand !== "number" || Number.isNaN(operand)) return parser.problem(`${name} takes a number`);
      return wordsNode(
        { [name]: operand },
        `${words} ${operand}`,
        (value) => typeof value === "number" && holds(value, operand),
      );
    },
  };
}
