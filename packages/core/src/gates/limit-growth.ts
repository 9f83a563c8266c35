import type { ComparedSuite } from "../summary/comparison-result.js";
import type { GrowthFigure, GrowthResult } from "../summary/growth-result.js";
import * as z from "../values/deferred-zod.js";
import { points } from "../values/percent.js";
import type { ComparisonFinding, ComparisonLimit } from "./gate-limit.js";
import { nameSuites } from "./gate-place.js";

/** What gates on growth have in common. */
export const growthGate = {
  examples: [10],
  schema: z.number().min(0),
  // How an answer is made says nothing about whether it is right.
  readsFailures: "none",
  needsBaseline: true,
} as const;

interface SuiteGrowth extends GrowthResult {
  suite: string;
  ratio: number;
}

/** A figure may not grow by more than `limit` percent in any suite, unless chance explains it. */
export function limitGrowth(figure: GrowthFigure, limit: number): readonly ComparisonLimit[] {
  return [{ limit, find: (compared) => findGrowth(figure, limit, compared) }];
}

function findGrowth(name: GrowthFigure, limit: number, compared: readonly ComparedSuite[]): ComparisonFinding {
  const found = compared.flatMap(({ suite, growth = [] }) =>
    growth.flatMap((one) => (one.name === name ? [{ ...one, suite }] : [])),
  );
  const known = found.flatMap((one): SuiteGrowth[] => (one.ratio === null ? [] : [{ ...one, ratio: one.ratio }]));
  const [first] = known;
  if (first === undefined) return nothingFound(name, found.length > 0, compared);
  const isBeyond = ({ hasGrown, ratio }: SuiteGrowth): boolean => hasGrown && percentOf(ratio) > limit;
  const beyond = known.filter(isBeyond);
  const worst = (beyond[0] === undefined ? known : beyond).reduce((most, one) => (one.ratio > most.ratio ? one : most));
  const others = beyond.filter((one) => one !== worst).map(({ suite }) => suite);
  const also = others.length === 0 ? "" : `; also ${nameSuites(others)}`;
  const message = `${sayGrowth(worst)} in suite "${worst.suite}", expected at most +${limit}%${also}`;
  return { actual: percentOf(worst.ratio), pass: beyond.length === 0, message };
}

function sayGrowth({ ratio, interval, adjustedP, hasGrown }: SuiteGrowth): string {
  const shown = `${points(ratio - 1)}%`;
  if (adjustedP === null) return shown;
  const range = interval === null ? "" : `95% interval ${interval.map((end) => `${points(end - 1)}%`).join(" to ")}, `;
  return `${shown} (${range}${hasGrown ? "beyond chance" : "within chance"})`;
}

/** Rounded, so that 1.1 is not more than 10%. */
function percentOf(ratio: number): number {
  return Number(((ratio - 1) * 100).toFixed(6));
}

/** An earlier baseline says nothing, and recordings have no latency; a price that nobody knows hides any growth. */
function nothingFound(name: GrowthFigure, isUnknown: boolean, compared: readonly ComparedSuite[]): ComparisonFinding {
  if (isUnknown && name === "cost") return { actual: null, pass: false, message: "a price is unknown" };
  if (isUnknown) return { exemption: "it is not known on both sides: requests were replayed" };
  const unsaved = compared.filter(({ unsavedGrowth }) => unsavedGrowth !== undefined).map(({ suite }) => suite);
  return unsaved.length > 0
    ? { exemption: `the baseline of ${nameSuites(unsaved)} was saved before KindLM kept it. Run: kindlm baseline set` }
    : { exemption: "no compared case takes any" };
}
