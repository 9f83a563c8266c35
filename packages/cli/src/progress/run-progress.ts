import type { RunEvent, TestResult } from "@kindlm/core";
import { RunningTrials } from "./running-trials.js";

type Status = "passed" | "failed" | "errored";

/** How far a run is. */
export interface RunProgress {
  startedAt: number;
  trials: number;
  doneTrials: number;
  /** Of these: taken over from an earlier session. */
  carriedTrials: number;
  /** Trials at a time, at most. */
  concurrency: number;
  maxCostUsd: number | null;
  /** Of the trials whose price is known. */
  costUsd: number;
  /** Trials by how they ended. */
  ended: Record<Status, number>;
  /** Cases by their verdict. */
  cases: Record<Status | "skipped", number>;
  readonly running: RunningTrials;
  readonly durations: Durations;
  /** Calls at a time, by provider, where a rate limit allows fewer than trials. */
  readonly limits: Map<string, number>;
}

/** Folds the events of a run into how far it is. */
export function createRunProgress(): { state: RunProgress; apply(event: RunEvent): void } {
  const state: RunProgress = {
    startedAt: 0,
    trials: 0,
    doneTrials: 0,
    carriedTrials: 0,
    concurrency: 0,
    maxCostUsd: null,
    costUsd: 0,
    ended: { passed: 0, failed: 0, errored: 0 },
    cases: { passed: 0, failed: 0, errored: 0, skipped: 0 },
    running: new RunningTrials(),
    durations: new Durations(),
    limits: new Map(),
  };
  const count = ({ status, costUsd }: { status: Status; costUsd: number | null }): void => {
    state.doneTrials += 1;
    state.ended[status] += 1;
    state.costUsd += costUsd ?? 0;
  };
  const apply = (event: RunEvent): void => {
    switch (event.type) {
      case "run:start":
        state.startedAt = event.time;
        state.trials = event.trials;
        state.concurrency = event.concurrency;
        state.maxCostUsd = event.maxCostUsd;
        break;
      case "confirm:start":
      case "further:start":
        state.trials += event.trials;
        break;
      case "trial:end": {
        count(event);
        const durationMs = state.running.end(event);
        if (durationMs !== null) state.durations.add(durationMs);
        break;
      }
      case "trial:carried":
        count(event);
        state.carriedTrials += 1;
        break;
      case "case:end":
        state.cases[event.result.status] += 1;
        state.trials -= leftOut(event.result);
        break;
      case "limiter":
        state.limits.set(event.provider, event.limit);
        state.running.apply(event);
        break;
      default:
        state.running.apply(event);
    }
  };
  return { state, apply };
}

/** Trials that a case did not need. */
function leftOut(result: TestResult): number {
  return result.status !== "skipped" && result.endedEarly === true ? result.runs - (result.trialsRun ?? 0) : 0;
}

/** How much longer each class of durations is than the one before. */
const step = 1.05;
const logOfStep = Math.log(step);

/** Durations of very many trials, which are kept in classes. */
export class Durations {
  readonly #classes: number[] = [];
  #count = 0;

  add(ms: number): void {
    const index = Math.ceil(Math.log(Math.max(1, ms)) / logOfStep);
    this.#classes[index] = (this.#classes[index] ?? 0) + 1;
    this.#count += 1;
  }

  /** To within 5%; null while there is none. */
  median(): number | null {
    let left = this.#count / 2;
    for (const [index, count = 0] of this.#classes.entries()) {
      left -= count;
      if (left <= 0 && count > 0) return step ** index;
    }
    return null;
  }
}
