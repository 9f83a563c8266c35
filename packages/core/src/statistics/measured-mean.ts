import { clusteredMean, type ClusteredMean, type ClusteredValue } from "./clustered-mean.js";
import { normalCdf, normalQuantile } from "./normal-distribution.js";
import { pseudoTrialInterval, type BoundedMean } from "./pseudo-trial-interval.js";
import type { CaseCounts } from "./case-counts.js";

/** From here on the expansion around the normal distribution is right to ten digits, and the series grows long. */
const manyDegrees = 200;

/** A value of one case, with the trials that it was computed from. */
export interface MeasuredCase extends ClusteredValue, NoisyCase {}

/** The mean over cases, and what its interval depends on. */
export interface MeasuredMean extends ClusteredMean {
  cases: number;
  /** The variance that comes from the trials alone; null when there are only single trials, which do not show it. */
  noise: number | null;
  /** The trials of a typical case. */
  trials: number;
  /** How many independent trials the mean is worth. */
  worth: number;
}

/** The mean of the values of the cases, each of which has trials in every sample; null without cases. */
export function measureMean(cases: readonly MeasuredCase[]): MeasuredMean | null {
  const mean = clusteredMean(cases);
  if (mean === null) return null;
  const trials = typicalTrials(cases);
  return {
    ...mean,
    cases: cases.length,
    noise: trialNoise(cases),
    trials,
    // Cases of one cluster may move as one, and are then worth no more than one.
    worth: effectiveClusters(cases) * trials,
  };
}

/**
 * The pseudo-trial interval of a mean of values in [−1, 1]. Its noise is taken from how the clusters differ; with a
 * single cluster from how its trials differ, and then it speaks of these cases alone.
 */
export function intervalOf(measured: MeasuredMean, confidence = 0.95): readonly [number, number] {
  return pseudoTrialInterval(boundedMean(measured, confidence), confidence);
}

/** What the interval is made of. */
export function boundedMean(measured: MeasuredMean, confidence = 0.95): BoundedMean {
  const { mean, standardError, clusters, noise, worth } = measured;
  return standardError === null
    ? { mean, standardError: Math.sqrt(noise ?? 0), quantile: normalQuantile((1 + confidence) / 2), worth }
    : { mean, standardError, quantile: studentTQuantile(confidence, clusters - 1), worth };
}

/** The variance of the mean, from how the clusters differ, or with a single cluster from how its trials do. */
export function varianceOf({ standardError, noise }: MeasuredMean): number {
  return standardError === null ? (noise ?? 0) : standardError ** 2;
}

/** A case, seen as the independent sets of trials that its number is made of: one for a rate, two for a difference. */
interface NoisyCase {
  cluster: string;
  samples: readonly CaseCounts[];
}

/**
 * The variance that the mean over the cases has from its trials alone, estimated without bias: what would remain if the
 * same cases were run again. A single trial shows no noise and is taken to have as much as the others have on average;
 * null when there are only such.
 */
export function trialNoise(cases: readonly NoisyCase[]): number | null {
  let sum = 0;
  let perTrial = 0;
  let measured = 0;
  let single = 0;
  // A list of all samples would take longer to make than what is done with it.
  for (const { samples } of cases) {
    for (const { passes, trials } of samples) {
      if (trials > 1) {
        const variance = (passes * (trials - passes)) / (trials * (trials - 1));
        sum += variance / trials;
        perTrial += variance;
        measured += 1;
      } else single += 1;
    }
  }
  return measured === 0 ? null : (sum + (single * perTrial) / measured) / cases.length ** 2;
}

/**
 * The trials of a typical case: the harmonic mean over the cases. Of two samples the smaller one counts, since the noise
 * of the other may be nothing: single trials are worth no more because the baseline, in which all passed, has five.
 */
export function typicalTrials(cases: readonly NoisyCase[]): number {
  const inverse = cases.reduce((sum, { samples }) => sum + 1 / fewestTrials(samples), 0);
  return cases.length / inverse;
}

function fewestTrials(samples: readonly CaseCounts[]): number {
  let fewest = Infinity;
  for (const { trials } of samples) fewest = Math.min(fewest, trials);
  return fewest;
}

/**
 * The clusters of one size that would be worth as much as these of many sizes: the square of the number of cases by the
 * sum of the squares of the sizes.
 * Source: L. Kish, "Survey Sampling" (1965), the effective sample size.
 */
export function effectiveClusters(cases: readonly NoisyCase[]): number {
  const sizes = new Map<string, number>();
  for (const { cluster } of cases) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  let squares = 0;
  for (const size of sizes.values()) squares += size * size;
  return cases.length ** 2 / squares;
}

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

/**
 * The probability that Student's t is `t` or more. `degreesOfFreedom` is a whole number of at least 1. Right to ten digits, and to
 * four from 200 degrees on.
 * Source: M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4, and 26.7.8 for many degrees.
 */
export function studentTTail(t: number, degreesOfFreedom: number): number {
  if (degreesOfFreedom >= manyDegrees) {
    const scale = (1 - 1 / (4 * degreesOfFreedom)) / Math.sqrt(1 + (t * t) / (2 * degreesOfFreedom));
    return normalCdf(-t * scale);
  }
  const inside = within(Math.atan(Math.abs(t) / Math.sqrt(degreesOfFreedom)), degreesOfFreedom);
  const tail = Math.max(0, 1 - inside) / 2;
  return t >= 0 ? tail : 1 - tail;
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
