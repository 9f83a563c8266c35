/**
 * The p-values, adjusted so that flagging all that are at most q keeps the expected share of false flags at or under q.
 * In the order of the input. Assumes tests that are independent or positively dependent.
 * Source: Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", J. R. Stat. Soc. B 57 (1995).
 */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const fromLargest = pValues.map((p, index) => ({ p, index })).toSorted((a, b) => b.p - a.p);
  const adjusted = pValues.map(() => 1);
  let smallest = 1;
  fromLargest.forEach(({ p, index }, position) => {
    const rank = pValues.length - position;
    smallest = Math.min(smallest, (p * pValues.length) / rank);
    adjusted[index] = smallest;
  });
  return adjusted;
}

/**
 * The p-values, adjusted so that calling all that are at most alpha false has a chance of at most alpha to be wrong even
 * once. In the order of the input. Assumes nothing about how the tests depend on one another.
 * Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Stat. 6 (1979).
 */
export function holm(pValues: readonly number[]): number[] {
  const fromSmallest = pValues.map((p, index) => ({ p, index })).toSorted((a, b) => a.p - b.p);
  const adjusted = pValues.map(() => 1);
  let largest = 0;
  fromSmallest.forEach(({ p, index }, position) => {
    largest = Math.min(1, Math.max(largest, p * (pValues.length - position)));
    adjusted[index] = largest;
  });
  return adjusted;
}
