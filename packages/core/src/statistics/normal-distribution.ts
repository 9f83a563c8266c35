/** Beyond this the distribution function is 0 or 1 to within the precision of a number. */
const farOut = 8.3;

/**
 * The distribution function of the standard normal distribution, to about 1e-15 absolute.
 * Source: G. Marsaglia, "Evaluating the normal distribution", J. Stat. Softw. 11 (2004): ½ + φ(x)(x + x³/3 + x⁵/15 + …).
 */
export function normalCdf(x: number): number {
  if (x <= -farOut) return 0;
  if (x >= farOut) return 1;
  let term = x;
  let sum = x;
  for (let odd = 3; Math.abs(term) > Math.abs(sum) * Number.EPSILON * 0.1; odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** The quantile that was asked for last: nearly always it is the same again, that of a 95% interval. */
let latest = { probability: 0.5, quantile: 0 };

/** The value under which the standard normal distribution has `probability`: the inverse of {@link normalCdf}. */
export function normalQuantile(probability: number): number {
  if (probability <= 0) return Number.NEGATIVE_INFINITY;
  if (probability >= 1) return Number.POSITIVE_INFINITY;
  if (probability < 0.5) return -normalQuantile(1 - probability);
  if (probability !== latest.probability) latest = { probability, quantile: upperQuantile(probability) };
  return latest.quantile;
}

function upperQuantile(probability: number): number {
  // From 0 on the function bends down, so that Newton's steps never overshoot; the first that gains nothing is the end.
  for (let x = 0; ;) {
    const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    const next = x + (probability - normalCdf(x)) / density;
    if (!(next > x)) return x;
    x = next;
  }
}
