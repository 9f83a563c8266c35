import { decodeRecord, reviveTrial } from "../journal/decode-record.js";
import type { EarlierTrials, ReadTrial } from "../engine/ports.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { derivePlan } from "../plan/derive-plan.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import { failure, success, type Result } from "../result.js";
import type { KeptTrial } from "./kept-trials.js";
import type { CaseStandings, TrialStandings } from "./trial-standings.js";

/** What a round may do. */
export interface RoundChoice {
  /** Whether it may call what may cost money. */
  mayPay: boolean;
  /** The most trials of each case that it runs; null for all that are missing. */
  trialsEach: number | null;
  /** Whether the filters of the session take a case; others are carried over, or wait. */
  takes(planned: PlannedCase): boolean;
}

/**
 * The trials of a case up to the first one that has to wait. `run`, `judge` and `replayed` are those among them that are
 * not carried over.
 */
export interface CaseShare {
  trials: number;
  run: number;
  judge: number;
  replayed: number;
  isWhole: boolean;
}

/** How far a round gets with a case. */
export function shareOf(planned: PlannedCase, standings: CaseStandings, choice: RoundChoice): CaseShare {
  const { trials, asksToRun, asksToJudge } = standings;
  const takes = choice.takes(planned);
  const mayRun = takes && (choice.mayPay || !asksToRun);
  const mayJudge = takes && (choice.mayPay || !asksToJudge);
  const most = choice.trialsEach ?? Number.POSITIVE_INFINITY;
  const share = { run: 0, judge: 0, replayed: 0 };
  let reached = 0;
  for (const standing of trials) {
    if (standing === "missing") {
      if (!mayRun || share.run >= most) break;
      share.run += 1;
    } else if (standing === "rescore") {
      if (!mayJudge) break;
      share.judge += 1;
    } else if (standing === "replayed") share.replayed += 1;
    reached += 1;
  }
  return { ...share, trials: reached, isWhole: reached === trials.length };
}

/** The plan of a round: what has to wait is skipped, or has fewer trials of which the same share must pass. */
export function planRound(plan: RunPlan, standings: TrialStandings, choice: RoundChoice): RunPlan {
  function* cases(): Generator<PlannedCase> {
    for (const planned of plan.cases()) {
      if (planned.skip !== null) {
        yield planned;
        continue;
      }
      const share = shareOf(planned, standings.of(planned), choice);
      if (share.isWhole) yield planned;
      else if (share.trials === 0) yield { ...planned, skip: waitsBecause(planned, choice) };
      else {
        const { runs, required } = planned;
        const needed = Math.min(share.trials, Math.max(1, Math.ceil((required * share.trials) / runs)));
        yield { ...planned, runs: share.trials, required: needed };
      }
    }
  }
  return derivePlan(plan, cases, (suite) => [suite]);
}

function waitsBecause(planned: PlannedCase, { takes }: RoundChoice): string {
  return takes(planned)
    ? "not run yet in watch mode, because it may cost money"
    : "not run yet, because the filters of watch mode exclude it";
}

/** The kept trials as the engine takes them. */
export function createCarriedTrials(standings: TrialStandings): EarlierTrials {
  return {
    spentUsd: 0,
    take(planned, trial) {
      const found = standings.find(planned, trial);
      if (typeof found === "string" || found.standing === "missing") return null;
      const { kept, standing } = found;
      const from = standing === "rescore" ? {} : ({ carriedFrom: kept.run.isReplay ? "replay" : "run" } as const);
      return { isScored: false, read: () => readKept(kept, planned, from) };
    },
    *left() {},
  };
}

function readKept(
  { run, place }: KeptTrial,
  planned: PlannedCase,
  from: Pick<ReadTrial, "carriedFrom">,
): Result<ReadTrial> {
  const line = run.reader.read(place);
  if (!line.success) return line;
  const record = decodeRecord(line.data);
  if (record.success && record.data.kind === "trial") {
    const trial = { ...reviveTrial(record.data.trial), caseId: planned.id };
    return success({ trial, seen: null, stands: from.carriedFrom !== undefined, ...from });
  }
  const message = `The journal of run ${run.id} was changed while it was read`;
  return failure(kindlmError("STORE_CORRUPT", message, { details: { path: run.id } }));
}
