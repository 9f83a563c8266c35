import type { KindlmError } from "../errors/kindlm-error.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import type { Result } from "../result.js";
import { decideVerdict, type TrialOutcome } from "./decide-verdict.js";
import type { TestResult, TrialResult } from "./run-result.js";

/** The trials of a case on their way to a verdict. */
export interface CaseProgress {
  readonly planned: PlannedCase;
  /** The case with its placeholders filled in, made once. */
  rendered(): Result<RenderedCase>;
  /** Takes a finished trial; true when it was the last that is awaited. */
  finish(trial: TrialResult): boolean;
  /** No further trial will be started; true when none is awaited any more. */
  cutShort(startedTrials: number): boolean;
  toResult(): TestResult;
}

export function trackCase(planned: PlannedCase): CaseProgress {
  const outcomes: (TrialOutcome | undefined)[] = [];
  let awaited = planned.runs;
  let finished = 0;
  let rendered: Result<RenderedCase> | null = null;
  let decisive: TrialResult | null = null;
  let latencyMs = 0;
  let costUsd: number | null = 0;

  return {
    planned,
    rendered() {
      rendered ??= planned.render();
      return rendered;
    },
    finish(trial) {
      finished += 1;
      outcomes[trial.trial - 1] = { status: trial.status, error: trial.error };
      latencyMs += trial.latencyMs;
      costUsd = costUsd === null || trial.costUsd === null ? null : costUsd + trial.costUsd;
      if (decisive === null || showsMore(trial, decisive)) decisive = trial;
      return finished === awaited;
    },
    cutShort(startedTrials) {
      awaited = startedTrials;
      return finished === awaited;
    },
    toResult() {
      const trials = outcomes.filter((outcome) => outcome !== undefined);
      const verdict = decideVerdict(trials, planned.required, planned.runs);
      const parts = {
        ...casePartsOf(planned),
        mixed: verdict.mixed,
        passes: verdict.passes,
        required: planned.required,
        runs: planned.runs,
        counted: verdict.counted,
        interval: verdict.interval,
        latencyMs: trials.length === 0 ? 0 : latencyMs / trials.length,
        costUsd,
        assertions: decisive?.assertions ?? [],
        toolCalls: decisive?.toolCalls ?? [],
        output: decisive?.output ?? "",
        decisiveTrial: decisive?.trial ?? 0,
      };
      if (verdict.status !== "errored") return { ...parts, status: verdict.status, error: null };
      return { ...parts, status: "errored", error: firstError(trials) };
    },
  };
}

export function skippedResult(planned: PlannedCase, reason: string): TestResult {
  return { ...casePartsOf(planned), status: "skipped", reason };
}

function casePartsOf({ id, suite, test, model, row, prompt }: PlannedCase) {
  return {
    id,
    suite,
    name: test.name,
    model: model.id,
    row: row?.key ?? null,
    prompt: prompt.id,
    tags: test.tags,
    critical: test.critical,
    allowFailure: test.allowFailure,
    position: test.position,
  };
}

const rank = { failed: 2, errored: 1, passed: 0 } as const;

/** A failed trial tells more than an errored one; among equals the first of the bad and the last of the good counts. */
function showsMore(candidate: TrialResult, current: TrialResult): boolean {
  const difference = rank[candidate.status] - rank[current.status];
  if (difference !== 0) return difference > 0;
  return candidate.status === "passed" ? candidate.trial > current.trial : candidate.trial < current.trial;
}

function firstError(trials: readonly TrialOutcome[]): KindlmError {
  const errored = trials.find((trial) => trial.error !== null);
  return errored?.error ?? kindlmError("ENGINE_ABORTED", "The run was stopped before the case was decided");
}
