import * as z from "../../values/deferred-zod.js";

const count = z.int().nonnegative();

/** Options that say how many calls are wanted. */
export const countOptions = {
  times: count.optional().describe("The exact number of matching calls."),
  min: count.optional().describe("The lowest number of matching calls. Default: 1."),
  max: count.optional().describe("The highest number of matching calls."),
};

export interface CountBounds {
  times?: number | undefined;
  min?: number | undefined;
  max?: number | undefined;
}

interface Bounds {
  min: number;
  max: number;
}

/** Reports bounds that contradict each other. */
export function checkCounts({ times, min, max }: CountBounds, context: z.RefinementCtx): void {
  const add = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
  if (times !== undefined && (min !== undefined || max !== undefined)) {
    add("times", `"times" cannot be combined with "min" or "max"`);
  } else if (min !== undefined && max !== undefined && min > max) add("min", `"min" is more than "max"`);
}

/** At least one call is wanted unless the bounds say otherwise. */
export function boundsOf({ times, min, max }: CountBounds): Bounds {
  if (times !== undefined) return { min: times, max: times };
  const most = max ?? Number.POSITIVE_INFINITY;
  return { min: min ?? Math.min(1, most), max: most };
}

/** Such as `exactly 2 times`, `at least once`, `at most 3 times`. */
export function describeBounds({ min, max }: Bounds): string {
  if (min === max) return `exactly ${renderTimes(min)}`;
  if (max === Number.POSITIVE_INFINITY) return `at least ${renderTimes(min)}`;
  return min <= 1 ? `at most ${renderTimes(max)}` : `${min} to ${max} times`;
}

function renderTimes(times: number): string {
  return times === 1 ? "once" : `${times} times`;
}
