import { attributionOf } from "../../errors/kindlm-error.js";
import type { PlannedCase, RunPlan } from "../../plan/run-plan.js";
import { decideUnmet, type FaultReport } from "../../tools/faults/fault-report.js";
import { addAttack, attackCounts } from "../injection/attack-tally.js";
import type { CaseAttack } from "../injection/injection-record.js";
import { CaseProgress } from "../case-progress.js";
import type { MadeTrial } from "../make-trial.js";
import type { EarlierTrial, EarlierTrials, EnginePorts, RecordedTrial, Suspect } from "../ports.js";
import type { ConfirmationTrials, SuiteResult, TrialResult } from "../run-result.js";
import { schedule } from "../schedule.js";

export interface ConfirmationSettings {
  plan: Pick<RunPlan, "cases" | "concurrency">;
  earlier: EarlierTrials | undefined;
  emit: EnginePorts["emit"];
  /** No further trial is to be started. */
  isHalted(): boolean;
  make(progress: CaseProgress, trial: number, before?: EarlierTrial | RecordedTrial): Promise<MadeTrial>;
  /** Counts and keeps it. */
  keep(made: MadeTrial, planned: PlannedCase): Promise<void> | undefined;
  /** Counts one that an earlier session of the run kept. */
  takeOver(planned: PlannedCase, trial: TrialResult): void;
}

interface RepeatedCase {
  planned: PlannedCase;
  trials: number;
  sums: { passes: number; trials: number };
  /** Null while no trial had a fault of kind inject. */
  attack: CaseAttack | null;
  /** What became of the faults, trial by trial. */
  faults: (readonly FaultReport[])[];
}

/**
 * Runs suspects again: as many confirmation trials as are worth it, and no fewer than the case had. They are numbered on from
 * those of the case, so they are drawn independently, and an interrupted run can continue with them. Their results, by ID.
 */
export async function confirmSuspects(
  suspects: readonly Suspect[],
  settings: ConfirmationSettings,
): Promise<ReadonlyMap<string, ConfirmationTrials>> {
  const wanted = new Map(suspects.map(({ caseId, trials }) => [caseId, trials]));
  const repeated: RepeatedCase[] = [];
  for (const planned of settings.plan.cases()) {
    const trials = wanted.get(planned.id);
    if (trials === undefined) continue;
    const none = { sums: { passes: 0, trials: 0 }, attack: null, faults: [] };
    repeated.push({ planned, trials: Math.max(trials, planned.runs), ...none });
  }
  const trials = repeated.reduce((sum, one) => sum + one.trials, 0);
  settings.emit({ channel: "progress", type: "confirm:start", cases: repeated.length, trials });
  await schedule(tasksOf(repeated, settings), settings.plan.concurrency);
  settings.emit({ channel: "progress", type: "confirm:end" });
  return new Map(repeated.map((one) => [one.planned.id, foundIn(one)]));
}

/** Of a case whose faults never fired no trial counts, as in its own trials. */
function foundIn({ planned, sums, attack, faults }: RepeatedCase): ConfirmationTrials {
  const counting = decideUnmet(faults) === null ? sums : { passes: 0, trials: 0 };
  return {
    ...counting,
    isPassed: hasEnough(planned, counting),
    ...(attack === null ? {} : { attack: attackCounts(attack) }),
  };
}

function* tasksOf(repeated: readonly RepeatedCase[], settings: ConfirmationSettings): Generator<() => Promise<void>> {
  for (const one of repeated) {
    const { planned, trials } = one;
    const progress = new CaseProgress(planned);
    for (let trial = planned.runs + 1; trial <= planned.runs + trials; trial += 1) {
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
function add(one: RepeatedCase, trial: TrialResult): void {
  const { sums, faults: reports } = one;
  const { status, error, fallback, faults } = trial;
  if (faults !== undefined) reports.push(faults);
  if (fallback !== null || (error !== null && attributionOf(error) === "outside")) return;
  one.attack = addAttack(one.attack, trial);
  sums.trials += 1;
  if (status === "passed") sums.passes += 1;
}

/** By the share of passes that the case needs. */
function hasEnough({ required, runs }: PlannedCase, { passes, trials }: RepeatedCase["sums"]): boolean {
  return trials > 0 && passes * runs >= required * trials;
}

/** The suites with the results of confirmation trials next to their cases. */
export function withConfirmation(
  suites: readonly SuiteResult[],
  fresh: ReadonlyMap<string, ConfirmationTrials>,
): readonly SuiteResult[] {
  if (fresh.size === 0) return suites;
  return suites.map((suite) => ({
    ...suite,
    tests: suite.tests.map((test) => {
      const found = fresh.get(test.id);
      return found === undefined || test.status === "skipped" ? test : { ...test, fresh: found };
    }),
  }));
}
