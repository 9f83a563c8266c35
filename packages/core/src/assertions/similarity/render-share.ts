const thousandths = 1_000;
/** Sums of fractions miss by a rounding error what they should be. */
const tolerance = 1e-9;

/** A share of 1 with up to three decimals, never rounded up to a threshold that it misses. */
export function renderScore(score: number): string {
  return String(Math.floor(score * thousandths + tolerance * thousandths) / thousandths);
}

/** A share of 1 with up to three decimals, never rounded down to a bound that it exceeds. */
export function renderDistance(distance: number): string {
  return String(Math.ceil(distance * thousandths - tolerance * thousandths) / thousandths);
}

export function isWithin(distance: number, max: number): boolean {
  return distance <= max + tolerance;
}
