/** A number of one case, and the cluster of cases that may go up and down together. */
export interface ClusteredValue {
  value: number;
  cluster: string;
}

export interface ClusteredMean {
  mean: number;
  /** Null when there is only one cluster: nothing shows how clusters differ. */
  standardError: number | null;
  clusters: number;
}

/**
 * The mean over cases with its standard error, clustered: cases of one cluster are not taken for independent.
 * The error is √(C ÷ (C − 1) · Σ over clusters of (Σ of deviations)²) ÷ n; if each case is its own cluster, this is
 * the ordinary standard error. Null without values.
 * Source: E. Miller, "Adding Error Bars to Evals", arXiv 2411.00640, appendix A; the factor for C clusters
 * is that of A. C. Cameron, D. L. Miller, "A practitioner's guide to cluster-robust inference", J. Hum. Resour. 50 (2015).
 */
export function clusteredMean(values: readonly ClusteredValue[]): ClusteredMean | null {
  if (values.length === 0) return null;
  const mean = values.reduce((sum, { value }) => sum + value, 0) / values.length;
  const deviations = sumByCluster(values.map(({ value, cluster }) => ({ value: value - mean, cluster })));
  const clusters = deviations.length;
  if (clusters === 1) return { mean, standardError: null, clusters };
  const squares = deviations.reduce((sum, deviation) => sum + deviation * deviation, 0);
  return { mean, standardError: Math.sqrt((squares * clusters) / (clusters - 1)) / values.length, clusters };
}

/** The sum of each cluster, in the order in which clusters first appear. */
export function sumByCluster(values: readonly ClusteredValue[]): number[] {
  const sums = new Map<string, number>();
  for (const { value, cluster } of values) sums.set(cluster, (sums.get(cluster) ?? 0) + value);
  return [...sums.values()];
}
