/** US dollars to a hundred-millionth: a single cached token still counts. */
export function roundedUsd(usd: number | null): number | null {
  return usd === null ? null : rounded(usd, 8);
}

/** Milliseconds to a microsecond. */
export function roundedMs(ms: number): number {
  return rounded(ms, 3);
}

/** Rates and scores. */
export function roundedRate(rate: number): number {
  return rounded(rate, 6);
}

/** Small ones differ by their magnitude. */
export function roundedP(p: number): number {
  return Number(p.toPrecision(6));
}

export function roundedInterval(interval: readonly [number, number] | null): [number, number] | null {
  return interval === null ? null : [roundedRate(interval[0]), roundedRate(interval[1])];
}

function rounded(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
