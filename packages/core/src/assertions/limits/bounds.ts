import type { AssertionOutcome } from "../assertion-result.js";

export interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
}

/** True when there is a bound, and the two do not contradict each other. */
export function boundsProblem({ min, max }: Bounds): string | null {
  if (min === undefined && max === undefined) return 'At least one of "min" and "max" is needed';
  if (min !== undefined && max !== undefined && min > max) return '"min" is more than "max"';
  return null;
}

/** Whether a figure lies within its bounds, both inclusive. `render` writes a figure with its unit. */
export function decideBounds(
  name: string,
  actual: number,
  { min, max }: Bounds,
  render: (value: number) => string,
): AssertionOutcome {
  const pass = actual >= (min ?? -Infinity) && actual <= (max ?? Infinity);
  const wanted = describeBounds(min, max, render);
  const message = pass
    ? `The ${name} is ${render(actual)}, ${wanted} as asked`
    : `Expected the ${name} to be ${wanted}, but it is ${render(actual)}`;
  return pass ? { pass, score: 1, message } : { pass, score: 0, message, expected: wanted, actual };
}

function describeBounds(min: number | undefined, max: number | undefined, render: (value: number) => string): string {
  if (min !== undefined && max !== undefined) {
    return min === max ? `exactly ${render(min)}` : `from ${render(min)} to ${render(max)}`;
  }
  if (max !== undefined) return `at most ${render(max)}`;
  return `at least ${render(min ?? 0)}`;
}
