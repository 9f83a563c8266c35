import { described, nullable, pair } from "../shape/compound.js";
import { reportedAs, volatileIn } from "../shape/field.js";
import { record } from "../shape/record.js";
import { amount, count, flag, oneOf, pValue } from "../shape/scalars.js";
import type { Shape, Static } from "../shape/shape.js";

/** The figures by their names in reports and gates, in the order of reports. */
export const growthFigures = ["cost", "tokens", "latency", "turns", "tool_calls"] as const;
export type GrowthFigure = (typeof growthFigures)[number];

const latency: readonly GrowthFigure[] = ["latency"];

/** Two runs of the same never take the same time. */
function measured<T>(text: string, shape: Shape<T>): Shape<T> {
  return volatileIn(latency, described(text, shape));
}

/** How a figure of a suite stands against the baseline. */
export const growthShape = record({
  name: oneOf(growthFigures),
  /** Cases that it speaks of; without any, all that follows is null. */
  cases: measured("Cases that it speaks of", count),
  clusters: volatileIn(latency, count),
  /** Cases of which the figure is not known on one of the sides. */
  unknown: described("Cases of which it is not known on both sides", count),
  /** Means over the cases: US dollars, tokens, milliseconds, turns, or tool calls per trial. */
  baseline: measured(
    "Mean per trial over the cases: US dollars, tokens, milliseconds, turns, or calls",
    nullable(amount),
  ),
  candidate: volatileIn(latency, nullable(amount)),
  ratio: measured("Geometric mean of candidate ÷ baseline, case by case", nullable(amount)),
  interval: measured("95% interval of the ratio; null without noise", nullable(pair(amount))),
  p: measured("One-sided, that the ratio is above 1, not adjusted; null without noise", nullable(pValue)),
  adjustedP: measured("p adjusted after Holm over the figures of all suites of the run", nullable(pValue)),
  /** Beyond chance; where there is no noise, at all. */
  hasGrown: reportedAs("grown", measured("Whether it grew beyond chance", flag)),
});
export type GrowthResult = Static<typeof growthShape>;
