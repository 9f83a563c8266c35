/** The 97.5% quantile of the standard normal distribution, for two-sided 95% intervals. */
const z95 = 1.959963984540054;

/** The intervals of few trials, which are those of very many cases, by total and successes. */
const known: (readonly [number, number])[][] = [];
const mostKnown = 100;

/**
 * The Wilson score interval of a proportion at 95%, without continuity correction.
 * Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
 * Returns null for no observations.
 */
export function wilsonInterval(successes: number, total: number): readonly [number, number] | null {
  if (total <= 0) return null;
  if (total > mostKnown || !Number.isInteger(total)) return computeInterval(successes, total);
  const ofTotal = (known[total] ??= []);
  return (ofTotal[successes] ??= computeInterval(successes, total));
}

function computeInterval(successes: number, total: number): readonly [number, number] {
  const rate = successes / total;
  const squared = z95 * z95;
  const scale = 1 / (1 + squared / total);
  const center = scale * (rate + squared / (2 * total));
  const half = scale * z95 * Math.sqrt((rate * (1 - rate)) / total + squared / (4 * total * total));
  // At the ends the formula is exact in real numbers; rounding must not leave [0, 1] or miss the end.
  return [successes === 0 ? 0 : Math.max(0, center - half), successes === total ? 1 : Math.min(1, center + half)];
}
