import { expect, it } from "vitest";
import { kindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import { CaseProgress } from "./case-progress.js";
import { emptyTrial, unstartedTrial } from "./empty-trial.js";
import type { TrialResult } from "./run-result.js";

const identity = { agentHash: "a", setupHash: "b", scoringHash: "c", passHash: "d" };

const ends = {
  passed: (trial: number): TrialResult => ({ ...emptyTrial("c", trial), status: "passed", error: null }),
  failed: (trial: number): TrialResult => ({ ...emptyTrial("c", trial), status: "failed", error: null }),
  outside: (trial: number) => unstartedTrial("c", trial, kindlmError("PROVIDER_TIMEOUT", "slow")),
  looping: (trial: number) => unstartedTrial("c", trial, kindlmError("ENGINE_MAX_TURNS", "loop")),
};

it.each([
  [["passed", "failed", "failed"], 2],
  [["passed", "outside", "failed"], 3],
  [["passed", "outside", "looping"], 2],
  [["passed", "passed"], 2],
] as const)("shows the trial that says most about %j, however they end", (kinds, decisive) => {
  const planned = {
    test: { name: "t" },
    prompt: { id: null },
    fault: { id: null, faults: [] },
    row: null,
    model: null,
    runs: kinds.length,
    required: 1,
  } as unknown as PlannedCase;
  const trials = kinds.map((kind, index) => ends[kind](index + 1));
  for (const order of [trials, trials.toReversed()]) {
    const progress = new CaseProgress(planned);
    for (const trial of order) progress.finish(trial);
    expect(progress.isOver).toBe(true);
    expect(progress.toResult(identity, false, (name) => name)).toMatchObject({ decisiveTrial: decisive });
  }
});
