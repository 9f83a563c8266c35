import type { GateConfig } from "../config/gate-config.js";
import {
  allowedReason,
  type ComparedSuite,
  type RunComparison,
  type SuiteComparison,
} from "../summary/comparison-result.js";
import type { GateResult } from "../engine/gate-result.js";
import { nameIn, notEvaluated, placed, type FailuresRead, type GatePlace } from "./gate-place.js";

interface Finding {
  actual: number;
  /** What trips the gate whatever the limit is, or says more of the number. */
  remarks: readonly string[];
  tripsAnyway: boolean;
}

/** A gate that asks how the run, or one suite of it, compares with its baseline. */
export interface ComparisonGate {
  /** As in the results. */
  name: string;
  limitOf(config: GateConfig): number | undefined;
  readsFailures: FailuresRead;
  find(compared: readonly ComparedSuite[]): Finding;
}

export const comparisonGates: readonly ComparisonGate[] = [
  {
    name: "regressions",
    limitOf: ({ regressions }) => regressions,
    readsFailures: "compared",
    find: findRegressions,
  },
  {
    name: "inconclusive",
    limitOf: ({ onInconclusive }) => (onInconclusive === "fail" ? 0 : undefined),
    readsFailures: "none",
    find: findInconclusive,
  },
];

export function decideComparisonGates(
  config: GateConfig,
  comparison: RunComparison | undefined,
  place: GatePlace,
  whyNotCompared: string | null = null,
): readonly GateResult[] {
  const all = comparison?.suites ?? [];
  const suites = place === null ? all : all.filter(({ suite }) => suite === place);
  return comparisonGates.flatMap((gate) => {
    const limit = gate.limitOf(config);
    return limit === undefined ? [] : [decide(gate, limit, suites, place, whyNotCompared)];
  });
}

function decide(
  { name, find }: ComparisonGate,
  limit: number,
  suites: readonly SuiteComparison[],
  place: GatePlace,
  whyNotCompared: string | null,
): GateResult {
  const unreadable = suites.flatMap((one) => (one.status === "unreadable" ? [one.error.message] : []));
  if (unreadable.length > 0) {
    const message = `${nameIn(place, name)} cannot be evaluated: ${unreadable.join("; ")}`;
    return placed(place, { name, pass: false, limit, actual: null, message });
  }
  const compared = suites.filter((one) => one.status === "compared");
  if (compared.length === 0)
    return notEvaluated(place, name, limit, whyNotCompared ?? "there is no baseline to compare with");
  const mute = compared.filter(saysNothing).map(({ suite }) => `"${suite}"`);
  if (mute.length > 0) {
    const why = `no case of suite ${mute.join(", ")} can be compared with its baseline`;
    const message = `${nameIn(place, name)} cannot be evaluated: ${why}`;
    return placed(place, { name, pass: false, limit, actual: null, message });
  }
  const { actual, remarks, tripsAnyway } = find(compared);
  const more = remarks.length === 0 ? "" : `: ${remarks.join(", ")}`;
  const message = `${nameIn(place, name)} is ${actual}, required at most ${limit}${more}`;
  return placed(place, { name, pass: actual <= limit && !tripsAnyway, limit, actual, message });
}

/**
 * There is a baseline, and nothing of it could be compared: cases were renamed, say, or checks have changed. New cases
 * and quarantined ones alone are no reason: nobody has promised anything of them.
 */
function saysNothing({ cases, removed, changedChecks, uncompared }: ComparedSuite): boolean {
  const silent = uncompared.filter(({ reason }) => reason !== allowedReason);
  return cases === 0 && removed.length + changedChecks.length + silent.length > 0;
}

/** Cases that are flagged as worse. A suite that is regressed as a whole, and a critical case, trip the gate alone. */
function findRegressions(compared: readonly ComparedSuite[]): Finding {
  const regressed = compared.filter(({ verdict }) => verdict === "regressed").map(({ suite }) => suite);
  const worse = compared.flatMap((suite) => suite.worse);
  const critical = worse.filter(({ isCritical }) => isCritical).map(({ caseId }) => caseId);
  const remarks = [
    ...regressed.map((suite) => `suite "${suite}" is regressed`),
    ...critical.map((caseId) => `critical ${caseId} is worse`),
  ];
  return { actual: worse.length, remarks, tripsAnyway: remarks.length > 0 };
}

/** Suites whose comparison says neither regressed nor ok. */
function findInconclusive(compared: readonly ComparedSuite[]): Finding {
  const open = compared.filter(({ verdict }) => verdict === "inconclusive");
  return { actual: open.length, remarks: open.map(({ suite }) => `suite "${suite}"`), tripsAnyway: false };
}
