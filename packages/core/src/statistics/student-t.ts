import { normalQuantile } from "./normal-distribution.js";

/** From here on the expansion around the normal distribution is right to ten digits, and the series grows long. */
const manyDegrees = 200;

/**
 * The value that Student's t exceeds in size with probability 1 − `confidence`: for a two-sided interval of that
 * confidence. `degreesOfFreedom` is a whole number of at least 1. Right to ten digits.
 * Source: M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4, and 26.7.5 for many degrees.
 */
export function studentTQuantile(confidence: number, degreesOfFreedom: number): number {
  if (degreesOfFreedom >= manyDegrees) return expanded(normalQuantile((1 + confidence) / 2), degreesOfFreedom);
  const slope = slopeAtZero(degreesOfFreedom);
  // P(|T| ≤ t) bends down with the angle, so that Newton's steps never overshoot; the first that gains nothing is the end.
  for (let angle = 0; ;) {
    const density = slope * Math.cos(angle) ** (degreesOfFreedom - 1);
    const next = angle + (confidence - within(angle, degreesOfFreedom)) / density;
    if (!(next > angle)) return Math.sqrt(degreesOfFreedom) * Math.tan(angle);
    angle = next;
  }
}

/** P(|T| ≤ t) as a function of the angle whose tangent is t ÷ √ν. */
function within(angle: number, degrees: number): number {
  const sine = Math.sin(angle);
  const cosine = Math.cos(angle);
  const sum = series(cosine * cosine, degrees);
  return degrees % 2 === 1 ? (2 / Math.PI) * (angle + sine * cosine * sum) : sine * sum;
}

function slopeAtZero(degrees: number): number {
  const sum = series(1, degrees);
  return degrees % 2 === 1 ? (2 / Math.PI) * (1 + sum) : sum;
}

/** 1 + 2/3 x + (2 · 4)/(3 · 5) x² + … for odd degrees, 1 + 1/2 x + (1 · 3)/(2 · 4) x² + … for even ones; it ends. */
function series(x: number, degrees: number): number {
  if (degrees === 1) return 0;
  let term = 1;
  let sum = 1;
  for (let power = degrees % 2 === 1 ? 3 : 2; power <= degrees - 2; power += 2) {
    term *= ((power - 1) / power) * x;
    sum += term;
  }
  return sum;
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
