import { wordsNode } from "../matcher-node.js";
import type { MatcherOperator } from "../operator.js";

export const gt = boundOperator("$gt", "more than", (value, bound) => value > bound);
export const gte = boundOperator("$gte", "at least", (value, bound) => value >= bound);
export const lt = boundOperator("$lt", "less than", (value, bound) => value < bound);
export const lte = boundOperator("$lte", "at most", (value, bound) => value <= bound);

const defaultTolerance = 1e-9;

export const integer: MatcherOperator = {
  summary: "This integer, compared digit by digit.",
  example: "9007199254740993",
  compile: (operand, parser) => {
    const isSafe = typeof operand === "number" && Number.isSafeInteger(operand);
    if (!isSafe && !(typeof operand === "string" && /^-?\d{1,1000}$/.test(operand))) {
      return parser.problem('$integer takes the digits of an integer in quotes, such as "9007199254740993"');
    }
    const wanted = BigInt(operand);
    return wordsNode({ $integer: operand }, `the integer ${wanted}`, (value) => {
      if (typeof value === "bigint") return value === wanted;
      return typeof value === "number" && Number.isInteger(value) && BigInt(value) === wanted;
    });
  },
};

export const approx: MatcherOperator = {
  summary: "A number at most `$tolerance` away.",
  example: 49.99,
  modifiers: { $tolerance: { summary: "How far from the number it may be.", example: 0.01 } },
  compile: (operand, parser) => {
    if (typeof operand !== "number" || !Number.isFinite(operand)) return parser.problem("$approx takes a number");
    const tolerance = parser.modifier("$tolerance");
    if (tolerance === undefined) {
      return wordsNode({ $approx: operand }, `about ${operand}`, (value) => {
        const number = typeof value === "bigint" ? Number(value) : value;
        if (typeof number !== "number") return false;
        return Math.abs(number - operand) <= defaultTolerance * Math.max(1, Math.abs(number), Math.abs(operand));
      });
    }
    if (typeof tolerance !== "number" || !(tolerance >= 0)) {
      return parser.problem("$tolerance takes a number of at least 0", { modifier: "$tolerance" });
    }
    return wordsNode(
      { $approx: operand, $tolerance: tolerance },
      `${operand} ± ${tolerance}`,
      // The rounding of the subtraction must not push 0.3 out of 0.1 ± 0.2.
      (value) => {
        if (typeof value === "bigint") return isWithin(value, operand, tolerance);
        if (typeof value !== "number") return false;
        return Math.abs(value - operand) <= tolerance + Number.EPSILON * Math.max(Math.abs(value), Math.abs(operand));
      },
    );
  },
};

/** Exactly where both are integers, so a tolerance of 0 is equality. */
function isWithin(value: bigint, operand: number, tolerance: number): boolean {
  if (!Number.isInteger(operand) || !Number.isFinite(tolerance)) return Math.abs(Number(value) - operand) <= tolerance;
  const apart = value - BigInt(operand);
  return (apart < 0n ? -apart : apart) <= tolerance;
}

function boundOperator(
  name: string,
  words: string,
  holds: (value: number | bigint, bound: number) => boolean,
): MatcherOperator {
  return {
    summary: `A number that is ${words} this one.`,
    example: 10,
    compile: (operand, parser) => {
      if (typeof operand !== "number" || Number.isNaN(operand)) return parser.problem(`${name} takes a number`);
      return wordsNode(
        { [name]: operand },
        `${words} ${operand}`,
        (value) => (typeof value === "number" || typeof value === "bigint") && holds(value, operand),
      );
    },
  };
}
