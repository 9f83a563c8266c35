import { success } from "../result.js";
import type { CaseProgress } from "./case-progress.js";
import { readAs, rescoreTrial } from "./earlier/rescore-trial.js";
import { unstartedTrial } from "./empty-trial.js";
import type { EarlierTrial, RecordedTrial, TrialOrigin } from "./ports.js";
import type { RunContext } from "./run-context.js";
import type { TrialResult } from "./run-result.js";
import { runTrial } from "./run-trial.js";
import { trialOrError } from "./within-trial.js";

/** A trial that was run, or only scored again. */
export interface MadeTrial {
  trial: TrialResult;
  origin: TrialOrigin;
}

/** Runs a trial of a case, or evaluates the current assertions on the conversation of an earlier one. */
export async function makeTrial(
  progress: CaseProgress,
  trial: number,
  earlier: EarlierTrial | RecordedTrial | undefined,
  run: RunContext,
): Promise<MadeTrial> {
  const { planned } = progress;
  let origin: TrialOrigin = "run";
  const made = await trialOrError({ planned, trial, runId: run.runId }, null, async () => {
    const rendered = progress.rendered();
    if (!rendered.success) return unstartedTrial(planned.id, trial, rendered.error);
    if (earlier === undefined) return runTrial(planned, rendered.data, trial, run);
    const read = "read" in earlier ? earlier.read(rendered.data) : success(readAs(earlier));
    if (!read.success) return unstartedTrial(planned.id, trial, read.error);
    origin = "rescore";
    return rescoreTrial(planned, rendered.data, read.data, run);
  });
  return { trial: made, origin };
}
