import { attributionOf } from "../../errors/kindlm-error.js";
import type { PlannedCase } from "../../plan/run-plan.js";
import { decideEarlyEnd, type CaseStanding } from "../../statistics/decide-early-end.js";
import { decideSprt, type SprtLimits } from "../../statistics/decide-sprt.js";
import type { Outcome } from "../outcome.js";

/** How a case ended before all of its trials ran. */
export interface EarlyEnd {
  status: "passed" | "failed" | "errored";
  /** A sequential test decided; else no further trial could change the verdict. */
  isBySprt: boolean;
}

type Outcomes = readonly (Outcome | undefined)[];
type Judged = Pick<PlannedCase, "runs" | "required"> & { test: { sprt?: SprtLimits } };

/**
 * Whether trials of the case may be left out. A fault with a rate is judged over all trials: one that has not fired yet
 * may still make the case errored, so that nothing is certain before the end.
 */
export function mayEndEarly({ test, runs, fault }: PlannedCase): boolean {
  return test.endsEarly === true && runs > 1 && fault.faults.every(({ rate }) => rate === null);
}

/**
 * The end of a case whose trials so far decide it; null while they do not. `outcomes` are in the order of the trials:
 * the sequential test looks at one after the other and holds to the first that decides.
 */
export function decideCaseEnd(outcomes: Outcomes, { runs, required, test }: Judged): EarlyEnd | null {
  const certain = decideEarlyEnd(standingOf(outcomes, runs, required));
  if (certain !== null) return { status: certain, isBySprt: false };
  const { sprt } = test;
  if (sprt === undefined) return null;
  const counts = { passes: 0, trials: 0 };
  let failures = 0;
  for (const outcome of outcomes) {
    if (outcome === undefined || !isEvidence(outcome)) continue;
    counts.trials += 1;
    if (outcome.status === "passed") counts.passes += 1;
    if (outcome.status === "failed") failures += 1;
    const decided = decideSprt(counts, sprt);
    if (decided === "passed") return { status: "passed", isBySprt: true };
    // Where nothing but errors of the agent spoke against it, no assertion says why.
    if (decided === "failed") return { status: failures > 0 ? "failed" : "errored", isBySprt: true };
  }
  return null;
}

/**
 * How many trials to start at once: as many as it takes at least before anything can be decided. So no more trials run
 * than if they ran one by one, and which of them run does not depend on how many run at a time.
 */
export function nextWaveSize(outcomes: Outcomes, { runs, required, test }: Judged): number {
  const { passes, failures, errors } = standingOf(outcomes, runs, required);
  const left = runs - passes - failures - errors;
  const nearest = Math.min(required - passes, runs - failures - required + 1);
  // Errors alone may end it as well: when too few trials are left to reach either.
  const untilCertain = Math.max(1, Math.min(nearest, left - nearest + 1));
  return test.sprt === undefined ? untilCertain : nearestSprtEnd(outcomes, test.sprt, untilCertain);
}

function nearestSprtEnd(outcomes: Outcomes, sprt: SprtLimits, most: number): number {
  const counted = outcomes.filter((outcome) => outcome !== undefined && isEvidence(outcome));
  const passes = counted.filter((outcome) => outcome?.status === "passed").length;
  for (let more = 1; more < most; more += 1) {
    const trials = counted.length + more;
    if (decideSprt({ passes: passes + more, trials }, sprt) !== null) return more;
    if (decideSprt({ passes, trials }, sprt) !== null) return more;
  }
  return most;
}

function standingOf(outcomes: Outcomes, runs: number, required: number): CaseStanding {
  const counts = { passed: 0, failed: 0, errored: 0 };
  for (const outcome of outcomes) if (outcome !== undefined) counts[outcome.status] += 1;
  return { passes: counts.passed, failures: counts.failed, errors: counts.errored, runs, required };
}

/** What went wrong outside says nothing of the agent; its own errors speak against it. */
function isEvidence({ error }: Outcome): boolean {
  return error === null || attributionOf(error) === "agent";
}
