import type { EffortSample, PairedEffort } from "../measure-growth.js";
import { normalQuantile } from "../normal-distribution.js";

export interface EffortDesign {
  /** Tokens vary by a third, latencies by their own size with a long tail, calls are few and whole. */
  kind: "tokens" | "latency" | "calls";
  cases: number;
  trials: number;
  trialsBefore?: number;
  /** How much more the run takes. */
  factor?: number;
}

const deviations = { tokens: 0.3, latency: 0.8, calls: 0 };

/** Pairs of an agent whose cases differ tenfold, and whose trials vary within each. */
export function drawnEfforts(design: EffortDesign, random: () => number): readonly PairedEffort[] {
  const { cases, trials, trialsBefore = trials, factor = 1 } = design;
  return Array.from({ length: cases }, (_, index) => {
    const size = Math.exp(normalQuantile(random()) * 0.8);
    const baseline = sample(design.kind, size, trialsBefore, random);
    return {
      cluster: String(index),
      hasNoise: true,
      baseline,
      candidate: sample(design.kind, size * factor, trials, random),
    };
  });
}

function sample(kind: EffortDesign["kind"], size: number, trials: number, random: () => number): EffortSample {
  const values = Array.from({ length: trials }, () =>
    kind === "calls"
      ? Math.floor(size) + (random() < 0.3 ? 1 : 0)
      : 1_000 * size * Math.exp(normalQuantile(random()) * deviations[kind]),
  );
  const mean = values.reduce((sum, value) => sum + value, 0) / trials;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { trials, mean, spread: trials === 1 ? null : Math.sqrt(squares / (trials - 1)) };
}
