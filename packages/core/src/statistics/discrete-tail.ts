/**
 * The probability that a discrete, single-peaked distribution on the whole numbers `lowest` to `highest` gives at most
 * `limit`. It is described by `ratio(x)` = P(x + 1) ÷ P(x) alone: the terms are summed relative to the largest one, so
 * that no factorial is needed, nothing overflows, and small tails keep their relative precision.
 */
export function lowerTail(lowest: number, highest: number, limit: number, ratio: (x: number) => number): number {
  if (limit < lowest) return 0;
  if (limit >= highest) return 1;
  let mode = lowest;
  while (mode < highest && ratio(mode) > 1) mode += 1;
  let tail = 0;
  let total = 0;
  const add = (x: number, weight: number): void => {
    total += weight;
    if (x <= limit) tail += weight;
  };
  for (let x = mode, weight = 1; x <= highest; x += 1) {
    add(x, weight);
    weight *= ratio(x);
  }
  for (let x = mode - 1, weight = 1; x >= lowest; x -= 1) {
    weight /= ratio(x);
    add(x, weight);
  }
  return tail / total;
}
