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
