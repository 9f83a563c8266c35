/**
 * The smallest value that at least `share` of the values do not exceed (nearest rank, C = 1 of NIST 7.2.6.2).
 * `sorted` is ascending; null when it is empty.
 */
export function percentile(sorted: ArrayLike<number>, share: number): number | null {
  if (sorted.length === 0) return null;
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? null;
}
