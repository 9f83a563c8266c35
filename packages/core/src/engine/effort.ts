import { nullable } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { count, ms, number, usd } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { everyCall, everyTurn } from "../transcript/delegated-calls.js";
import type { TrialResult } from "./trial-result.js";

/** What a trial takes; null where it is not known of one of the trials. */
const figures = {
  /** US dollars, judges and simulated users included; unknown without a price. */
  costUsd: nullable(usd),
  /** Input and output of the agent. */
  tokens: nullable(number),
  /** Unknown where recordings answered: theirs says nothing. */
  latencyMs: nullable(ms),
  turns: nullable(number),
  toolCalls: nullable(number),
};

/** What the trials of a case took: all that count, so none that an error from outside ended. */
export const effortShape = record(
  {
    trials: count,
    /** Means per trial. */
    ...figures,
  },
  {
    /** Standard deviations between the trials; absent for a single one. */
    spread: record(figures),
  },
);
export type Effort = Static<typeof effortShape>;

export type EffortFigure = keyof NonNullable<Effort["spread"]>;

/** The same of each figure. */
function eachFigure<T>(of: (figure: EffortFigure) => T): Record<EffortFigure, T> {
  return {
    costUsd: of("costUsd"),
    tokens: of("tokens"),
    latencyMs: of("latencyMs"),
    turns: of("turns"),
    toolCalls: of("toolCalls"),
  };
}

/** Sums and sums of squares; null once one value is unknown. */
interface Tally {
  sum: number;
  squares: number;
}

/** Takes trials one by one. Each case has one, so nothing is made for a single figure but its sums. */
export class EffortTally {
  private trials = 0;
  private readonly sums: Record<EffortFigure, Tally | null> = {
    costUsd: { sum: 0, squares: 0 },
    tokens: { sum: 0, squares: 0 },
    latencyMs: { sum: 0, squares: 0 },
    turns: { sum: 0, squares: 0 },
    toolCalls: { sum: 0, squares: 0 },
  };

  /** Only of trials that count. */
  add(trial: TrialResult): void {
    this.trials += 1;
    const { usage, costUsd, toolCalls } = trial;
    const turns = everyTurn(trial);
    const isLive = trial.recorded !== true && turns.every(({ replayed }) => replayed !== true);
    this.take("costUsd", costUsd);
    this.take("tokens", usage.inputTokens + usage.outputTokens);
    this.take("latencyMs", isLive ? trial.latencyMs : null);
    this.take("turns", turns.length);
    this.take("toolCalls", everyCall(toolCalls).length);
  }

  private take(figure: EffortFigure, value: number | null): void {
    const tally = this.sums[figure];
    if (tally === null) return;
    if (value === null) this.sums[figure] = null;
    else {
      tally.sum += value;
      tally.squares += value * value;
    }
  }

  /** Null without trials. */
  result(): Effort | null {
    const { trials } = this;
    return trials === 0 ? null : effortOf(trials, this.sums);
  }
}

/** The trials of both together. */
export function poolEfforts(one: Effort, other: Effort): Effort {
  const pooled = eachFigure((figure) => {
    const [first, second] = [tallyOf(one, figure), tallyOf(other, figure)];
    if (first === null || second === null) return null;
    return { sum: first.sum + second.sum, squares: first.squares + second.squares };
  });
  return effortOf(one.trials + other.trials, pooled);
}

function tallyOf({ trials, spread, ...means }: Effort, figure: EffortFigure): Tally | null {
  const mean = means[figure];
  if (mean === null) return null;
  const deviation = spread?.[figure] ?? 0;
  return { sum: mean * trials, squares: deviation ** 2 * (trials - 1) + mean ** 2 * trials };
}

function effortOf(trials: number, tallies: Readonly<Record<EffortFigure, Tally | null>>): Effort {
  const effort: Effort = {
    trials,
    costUsd: meanOf(tallies.costUsd, trials),
    tokens: meanOf(tallies.tokens, trials),
    latencyMs: meanOf(tallies.latencyMs, trials),
    turns: meanOf(tallies.turns, trials),
    toolCalls: meanOf(tallies.toolCalls, trials),
  };
  if (trials > 1) {
    effort.spread = eachFigure((figure) => {
      const tally = tallies[figure];
      return tally === null ? null : deviationOf(tally, trials);
    });
  }
  return effort;
}

function meanOf(tally: Tally | null, trials: number): number | null {
  return tally === null ? null : short(tally.sum / trials);
}

function deviationOf({ sum, squares }: Tally, trials: number): number {
  const variance = (squares - (sum * sum) / trials) / (trials - 1);
  // What is left of equal values is rounding.
  return variance <= (squares / trials) * 1e-10 ? 0 : short(Math.sqrt(variance));
}

/** As many digits as anybody can make use of. */
function short(value: number): number {
  // Most are counts, which writing out would not change. Cut off, V8 keeps them without a box for the fraction.
  return Number.isInteger(value) && Math.abs(value) < 10_000_000 ? Math.trunc(value) : Number(value.toPrecision(7));
}
