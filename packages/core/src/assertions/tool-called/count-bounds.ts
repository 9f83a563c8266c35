export interface CountBounds {
  times?: number | undefined;
  min?: number | undefined;
  max?: number | undefined;
}

interface Bounds {
  min: number;
  max: number;
}

/** At least one call is wanted unless the bounds say otherwise. */
export function boundsOf({ times, min, max }: CountBounds): Bounds {
  if (times !== undefined) return { min: times, max: times };
  const most = max ?? Number.POSITIVE_INFINITY;
  return { min: min ?? Math.min(1, most), max: most };
}

/** Such as `exactly 2 times`, `at least once`, `at most 3 times`. */
export function describeBounds({ min, max }: Bounds): string {
  if (min === max) return `exactly ${often(min)}`;
  if (max === Number.POSITIVE_INFINITY) return `at least ${often(min)}`;
  return min <= 1 ? `at most ${often(max)}` : `${min} to ${max} times`;
}

function often(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
