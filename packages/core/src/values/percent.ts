/** Never rounded up to 100%: that would read as if all had passed. */
export function percent(rate: number): string {
  const rounded = Math.round(rate * 1_000) / 10;
  const shown = rate < 1 && rounded === 100 ? 99.9 : rate > 0 && rounded === 0 ? 0.1 : rounded;
  return `${tenths(shown)}%`;
}

/** A difference of two rates in percentage points, with its sign. */
export function points(difference: number): string {
  const shown = Math.round(difference * 1_000) / 10;
  return shown === 0 ? "0" : `${shown < 0 ? "−" : "+"}${tenths(Math.abs(shown))}`;
}

function tenths(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "");
}
