import { renderCount } from "../../values/plural.js";

/**
 * The most pairs of elements that are compared: two strings of 40,000 words or characters each that have nothing in
 * common. 32 pairs take one step, so that is a matter of tenths of a second.
 */
const mostPairs = 1_600_000_000;

/** Why two sequences are not compared; null where they may be. `unit`: such as `words`. */
export function lengthProblem(first: number, second: number, unit: string): string | null {
  if (first * second <= mostPairs) return null;
  const [a, b] = [first, second].map(renderCount);
  return `the strings are too long to be compared: they differ within ${a} and ${b} ${unit}`;
}
