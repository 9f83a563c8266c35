import type { PlannedCase } from "../../plan/run-plan.js";
import type { EarlierTrial, EarlierTrials, RecordedTrial } from "../ports.js";

type Taken = EarlierTrial | RecordedTrial;

const none: ReadonlyMap<number, Taken> = new Map();

/** The trials of a case that an earlier session of the run finished, by their number. */
export function takeEarlier(planned: PlannedCase, earlier: EarlierTrials | undefined): ReadonlyMap<number, Taken> {
  if (earlier === undefined || planned.skip !== null) return none;
  const taken = new Map<number, Taken>();
  for (let trial = 1; trial <= planned.runs; trial += 1) {
    const found = earlier.take(planned, trial);
    if (found !== null) taken.set(trial, found);
  }
  return taken;
}
