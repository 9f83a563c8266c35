import type { EffortFigure } from "../engine/effort.js";
import { clusterOf } from "../engine/summary/cluster-of.js";
import { holm } from "../statistics/adjust-p-values.js";
import { isSignificant } from "../statistics/is-significant.js";
import { measureGrowth, type EffortSample, type Growth, type PairedEffort } from "../statistics/measure-growth.js";
import type { ComparedSuite } from "../summary/comparison-result.js";
import { growthFigures, type GrowthFigure, type GrowthResult } from "../summary/growth-result.js";
import type { BaselineEntry } from "./baseline.js";
import type { RanTest } from "./usability-of.js";

interface Pair {
  test: RanTest;
  entry: BaselineEntry;
}

interface MeasuredFigure {
  name: GrowthFigure;
  unknown: number;
  growth: Growth | null;
}

/** What the cases of a suite take, against their baseline, before anything is decided. */
export interface MeasuredGrowth {
  figures: readonly MeasuredFigure[];
  /** Cases of which the baseline does not say what they took, because an earlier version of KindLM saved it. */
  unsaved: number;
}

const keys: Readonly<Record<GrowthFigure, EffortFigure>> = {
  cost: "costUsd",
  tokens: "tokens",
  latency: "latencyMs",
  turns: "turns",
  tool_calls: "toolCalls",
};

export function measureSuiteGrowth(pairs: readonly Pair[]): MeasuredGrowth {
  const saved = pairs.filter(({ entry }) => entry.effort !== undefined);
  const figures = growthFigures.map((name) => {
    const known = saved.flatMap((pair) => pairedEffort(pair, name));
    return { name, unknown: saved.length - known.length, growth: measureGrowth(known) };
  });
  return {
    figures: figures.filter(({ growth, unknown }) => growth !== null || unknown > 0),
    unsaved: pairs.length - saved.length,
  };
}

/** None where the figure is not known on both sides. */
function pairedEffort({ test, entry }: Pair, name: GrowthFigure): readonly PairedEffort[] {
  const [baseline, candidate] = [sampleOf(entry, keys[name]), sampleOf(test, keys[name])];
  if (baseline === null || candidate === null) return [];
  // Whatever an agent does, it takes another time each time.
  const hasNoise = name === "latency" || test.deterministic !== true || entry.deterministic !== true;
  return [{ cluster: clusterOf(test), hasNoise, baseline, candidate }];
}

function sampleOf({ effort }: Pick<BaselineEntry, "effort">, key: EffortFigure): EffortSample | null {
  const mean = effort?.[key] ?? null;
  if (effort === undefined || mean === null) return null;
  return { trials: effort.trials, mean, spread: effort.spread?.[key] ?? null };
}

/**
 * Decides about all figures of all suites together, after Holm: in a run in which nothing changed, the chance that any
 * figure of any suite is said to have grown is at most alpha. The verdicts on pass rates have their own alpha.
 */
export function decideGrowth(
  suites: readonly MeasuredGrowth[],
  alpha: number,
): (suite: MeasuredGrowth) => Pick<ComparedSuite, "growth" | "unsavedGrowth"> {
  const tested = suites.flatMap(({ figures }) =>
    figures.flatMap((figure) => {
      const p = figure.growth?.p ?? null;
      return p === null ? [] : [{ figure, p }];
    }),
  );
  const adjusted = holm(tested.map(({ p }) => p));
  const places = new Map(tested.map(({ figure }, index) => [figure, adjusted[index] ?? 1]));
  return ({ figures, unsaved }) => ({
    ...(figures.length === 0 ? {} : { growth: figures.map((one) => resultOf(one, places.get(one) ?? null, alpha)) }),
    ...(unsaved === 0 ? {} : { unsavedGrowth: unsaved }),
  });
}

/** A growth of less is rounding. */
const noGrowth = 1 + 1e-6;

/**
 * Milliseconds per trial. A smaller difference is how busy the machine is: a scripted model answers within a millisecond,
 * and within three on a machine that does something else, in every case alike.
 */
const leastSlowdownMs = 10;

function resultOf({ name, unknown, growth }: MeasuredFigure, adjustedP: number | null, alpha: number): GrowthResult {
  const nothing = { cases: 0, clusters: 0, baseline: null, candidate: null, ratio: null, interval: null, p: null };
  const ratio = growth?.ratio ?? 1;
  const isMachine = name === "latency" && growth !== null && growth.candidate - growth.baseline < leastSlowdownMs;
  const hasGrown = ratio > noGrowth && !isMachine && (adjustedP === null || isSignificant(adjustedP, alpha));
  return { name, unknown, ...(growth ?? nothing), adjustedP, hasGrown };
}
