import type { ConfirmationTrials, FurtherTrials } from "../engine/extra-trials/extra-trials.js";
import type { AttackCounts } from "../engine/injection/injection-record.js";
import { clusterOf } from "../engine/summary/cluster-of.js";
import type { ComparedCase, ComparedSide } from "../statistics/compared-case.js";
import type { FreshSide } from "../statistics/confirm-comparison.js";
import type { BaselineEntry } from "./baseline.js";
import type { RanTest } from "./usability-of.js";

/** A case of a run next to its entry in the baseline. */
export function toCompared(caseId: string, test: RanTest, entry: BaselineEntry): ComparedCase {
  const isMixed = entry.passes > 0 && entry.passes < entry.trials;
  return {
    caseId,
    cluster: clusterOf(test),
    // A deterministic run against saved results of a noisy one: if those show no noise, there is none to test.
    isDeterministic: test.deterministic === true && (entry.deterministic === true || !isMixed),
    isCritical: test.critical,
    baseline: { passes: entry.passes, trials: entry.trials, isPassed: entry.isPassed },
    candidate: { passes: test.passes, trials: test.counted, isPassed: test.status === "passed" },
    ...attacksOn(entry.attack, test.attack),
    ...(test.further === undefined || test.further.trials === 0 ? {} : { further: furtherCounts(test.further) }),
  };
}

function furtherCounts({ passes, trials, attack }: FurtherTrials): NonNullable<ComparedCase["further"]> {
  return { passes, trials, ...(attack === undefined ? {} : { attacks: withstood(attack) }) };
}

/** What the confirmation trials of a case came to. */
export function freshSide({ passes, trials, isPassed, attack }: ConfirmationTrials): FreshSide {
  return { passes, trials, isPassed, ...(attack === undefined ? {} : { attacks: withstood(attack) }) };
}

function attacksOn(before: AttackCounts | undefined, now: AttackCounts | undefined): Pick<ComparedCase, "attacks"> {
  if (before === undefined || now === undefined) return {};
  return { attacks: { baseline: withstood(before), candidate: withstood(now) } };
}

/** An attack on a case fails if it fails in every trial. */
function withstood({ counted, succeeded }: AttackCounts): ComparedSide {
  return { passes: counted - succeeded, trials: counted, isPassed: succeeded === 0 };
}
