import { normalQuantile } from "./normal-distribution.js";

/** From here on the expansion around the normal distribution is exact to within the precision of a number. */
const manyDegrees = 1_000;

/**
 * The value that Student's t exceeds in size with probability 1 − `confidence`: for a two-sided interval of that
 * confidence. `degreesOfFreedom` is a whole number of at least 1.
 * Source: M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4, and 26.7.5 for many degrees.
 */
export function studentTQuantile(confidence: number, degreesOfFreedom: number): number {
  if (degreesOfFreedom >= manyDegrees) return expanded(normalQuantile((1 + confidence) / 2), degreesOfFreedom);
  let low = 0;
  let high = Math.PI / 2;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return Math.sqrt(degreesOfFreedom) * Math.tan(middle);
    if (within(middle, degreesOfFreedom) < confidence) low = middle;
    else high = middle;
  }
}

/** P(|T| ≤ t) as a function of the angle whose tangent is t ÷ √ν: a finite series. */
function within(angle: number, degrees: number): number {
  const squared = Math.cos(angle) ** 2;
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? Math.cos(angle) : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let power = isOdd ? 3 : 2; power <= degrees - 2; power += 2) {
    term *= ((power - 1) / power) * squared;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}

function expanded(x: number, degrees: number): number {
  const x2 = x * x;
  const terms = [
    x,
    (x * (x2 + 1)) / 4,
    (x * ((5 * x2 + 16) * x2 + 3)) / 96,
    (x * (((3 * x2 + 19) * x2 + 17) * x2 - 15)) / 384,
    (x * ((((79 * x2 + 776) * x2 + 1_482) * x2 - 1_920) * x2 - 945)) / 92_160,
  ];
  return terms.reduceRight((sum, term) => sum / degrees + term, 0);
}
