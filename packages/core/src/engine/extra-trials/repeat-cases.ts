import { attributionOf } from "../../errors/kindlm-error.js";
import type { PlannedCase, RunPlan } from "../../plan/run-plan.js";
import { decideUnmet, type FaultReport } from "../../tools/faults/fault-report.js";
import { addAttack, attackCounts } from "../injection/attack-tally.js";
import type { CaseAttack } from "../injection/injection-record.js";
import { CaseProgress } from "../case-progress.js";
import type { MadeTrial } from "../make-trial.js";
import type { EarlierTrial, EarlierTrials, RecordedTrial, RepeatedCase } from "../ports.js";
import type { ConfirmationTrials, TrialResult } from "../run-result.js";
import { schedule } from "../schedule.js";

export interface RepetitionSettings {
  plan: Pick<RunPlan, "cases" | "concurrency">;
  earlier: EarlierTrials | undefined;
  /** No further trial is to be started. */
  isHalted(): boolean;
  make(progress: CaseProgress, trial: number, before?: EarlierTrial | RecordedTrial): Promise<MadeTrial>;
  /** Counts and keeps it. */
  keep(made: MadeTrial, planned: PlannedCase): Promise<void> | undefined;
  /** Counts one that an earlier session of the run kept. */
  takeOver(planned: PlannedCase, trial: TrialResult): void;
}

/** What the extra trials of a case came to. */
export interface Repetition extends ConfirmationTrials {
  /** All of them ran. */
  isComplete: boolean;
}

interface Repeated {
  planned: PlannedCase;
  wanted: RepeatedCase;
  ran: number;
  sums: { passes: number; trials: number };
  /** Null while no trial had a fault of kind inject. */
  attack: CaseAttack | null;
  /** What became of the faults, trial by trial. */
  faults: (readonly FaultReport[])[];
}

/**
 * Runs cases again. Their trials are numbered on from those that they had, so they are drawn independently, and an
 * interrupted run can continue with them. The first of the cases come first, all of them in the order in which they are
 * given. Their results, by the IDs of the cases.
 */
export async function repeatCases(
  cases: readonly RepeatedCase[],
  settings: RepetitionSettings,
): Promise<ReadonlyMap<string, Repetition>> {
  const places = new Map(cases.map(({ caseId }, index) => [caseId, index]));
  const repeated: Repeated[] = [];
  for (const planned of settings.plan.cases()) {
    const wanted = cases[places.get(planned.id) ?? cases.length];
    if (wanted === undefined) continue;
    repeated.push({ planned, wanted, ran: 0, sums: { passes: 0, trials: 0 }, attack: null, faults: [] });
  }
  const placeOf = ({ planned }: Repeated): number => places.get(planned.id) ?? 0;
  repeated.sort((one, other) => placeOf(one) - placeOf(other));
  await schedule(tasksOf(repeated, settings), settings.plan.concurrency);
  return new Map(repeated.map((one) => [one.planned.id, foundIn(one)]));
}

/** Of a case whose faults never fired no trial counts, as in its own trials. */
function foundIn({ planned, wanted, ran, sums, attack, faults }: Repeated): Repetition {
  const counting = decideUnmet(faults) === null ? sums : { passes: 0, trials: 0 };
  return {
    ...counting,
    isPassed: hasEnough(planned, counting),
    isComplete: ran === wanted.trials,
    ...(attack === null ? {} : { attack: attackCounts(attack) }),
  };
}

function* tasksOf(repeated: readonly Repeated[], settings: RepetitionSettings): Generator<() => Promise<void>> {
  for (const one of repeated) {
    const { planned, wanted } = one;
    const progress = new CaseProgress(planned);
    const first = planned.runs + wanted.after + 1;
    for (let trial = first; trial < first + wanted.trials; trial += 1) {
      const before = settings.earlier?.take(planned, trial) ?? undefined;
      if (before?.isScored === true) {
        settings.takeOver(planned, before.trial);
        add(one, before.trial);
      } else if (!settings.isHalted() && planned.leftOut === undefined) {
        yield async () => {
          const { trial: result, origin } = await settings.make(progress, trial, before);
          add(one, result);
          await settings.keep({ trial: { ...result, fresh: true }, origin }, planned);
        };
      }
    }
  }
}

/** What went wrong outside says nothing of the agent, and neither does what another model answered in its place. */
function add(one: Repeated, trial: TrialResult): void {
  const { sums, faults: reports } = one;
  const { status, error, fallback, faults } = trial;
  if (error?.code !== "ENGINE_ABORTED" && error?.code !== "ENGINE_BUDGET_EXCEEDED") one.ran += 1;
  if (faults !== undefined) reports.push(faults);
  if (fallback !== null || (error !== null && attributionOf(error) === "outside")) return;
  one.attack = addAttack(one.attack, trial);
  sums.trials += 1;
  if (status === "passed") sums.passes += 1;
}

/** By the share of passes that the case needs. */
function hasEnough({ required, runs }: PlannedCase, { passes, trials }: Repeated["sums"]): boolean {
  return trials > 0 && passes * runs >= required * trials;
}
