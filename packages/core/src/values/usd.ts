/** US dollars as people read them: `$0`, `<$0.0001`, `$0.0412`, `$128.40`. */
export function renderUsd(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.00005) return "<$0.0001";
  return `$${usd.toFixed(usd >= 100 ? 2 : 4)}`;
}
