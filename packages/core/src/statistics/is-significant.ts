/**
 * True when p ≤ level. Exact tests often give p-values that equal the level, such as 1/20; the last bits of a sum must
 * not decide there.
 */
export function isSignificant(p: number, level: number): boolean {
  return p <= level * (1 + 1e-9);
}
