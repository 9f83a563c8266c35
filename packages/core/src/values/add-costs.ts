/** US dollars; null if the price of a part is unknown, and so the sum. */
export function addCosts(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
