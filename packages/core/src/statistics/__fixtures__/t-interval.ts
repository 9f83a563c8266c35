import type { ClusteredMean } from "../clustered-mean.js";
import { studentTQuantile } from "../measured-mean.js";

/**
 * The interval of a mean by Student's t with one degree of freedom fewer than there are clusters.
 * For unbounded numbers; rates near 0 or 1 need a pseudo-trial interval.
 * Null when there is only one cluster.
 * Source: Student, "The probable error of a mean", Biometrika 6 (1908).
 */
export function tInterval(
  { mean, standardError, clusters }: ClusteredMean,
  confidence = 0.95,
): readonly [number, number] | null {
  if (standardError === null) return null;
  const half = studentTQuantile(confidence, clusters - 1) * standardError;
  return [mean - half, mean + half];
}
