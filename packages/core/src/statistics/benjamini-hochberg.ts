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
