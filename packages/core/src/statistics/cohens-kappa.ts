/** How far two raters agree. */
export interface Agreement {
  /** Items that both rated. */
  items: number;
  /** Share of the items that both put into the same category. */
  observed: number;
  /** The share to expect by chance from how often each uses each category. */
  expected: number;
  /** (observed − expected) ÷ (1 − expected); null when both use one and the same category only. */
  kappa: number | null;
}

/**
 * Cohen's kappa, unweighted: agreement of two raters beyond chance, 1 for all, 0 for no more than chance.
 * Each pair holds what the first and the second rater said of one item. Null without items.
 * Source: J. Cohen, "A coefficient of agreement for nominal scales", Educ. Psychol. Meas. 20 (1960).
 */
export function cohensKappa<T>(pairs: readonly (readonly [T, T])[]): Agreement | null {
  const items = pairs.length;
  if (items === 0) return null;
  const first = new Map<T, number>();
  const second = new Map<T, number>();
  let agreed = 0;
  for (const [one, other] of pairs) {
    first.set(one, (first.get(one) ?? 0) + 1);
    second.set(other, (second.get(other) ?? 0) + 1);
    if (one === other) agreed += 1;
  }
  let products = 0;
  for (const [category, count] of first) products += count * (second.get(category) ?? 0);
  const observed = agreed / items;
  const expected = products / (items * items);
  return {
    items,
    observed,
    expected,
    kappa: products === items * items ? null : (observed - expected) / (1 - expected),
  };
}
