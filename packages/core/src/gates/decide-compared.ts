import { allowedReason, type ComparedSuite, type SuiteComparison } from "../summary/comparison-result.js";
import type { ComparisonLimit } from "./gate-limit.js";
import { nameIn, notEvaluated, placed, type GatePlace } from "./gate-place.js";
import type { GateResult } from "./gate-result.js";

interface Compared {
  suites: readonly SuiteComparison[];
  /** Why there is no comparison, although there may be baselines; null if there are none. */
  whyNotCompared: string | null;
}

const noBaseline = "there is no baseline to compare with";

/** Not evaluated since nothing was compared at all. */
export function isWithoutBaseline({ evaluated, message }: GateResult, whyNotCompared: string | null): boolean {
  return evaluated === false && message.endsWith(whyNotCompared ?? noBaseline);
}

/** Evaluates a gate on what the comparison with the baselines found. */
export function decideCompared(
  name: string,
  { limit, find }: ComparisonLimit,
  { suites, whyNotCompared }: Compared,
  place: GatePlace,
): GateResult {
  const unreadable = suites.flatMap((one) => (one.status === "unreadable" ? [one.error.message] : []));
  if (unreadable.length > 0) {
    const message = `${nameIn(place, name)} cannot be evaluated: ${unreadable.join("; ")}`;
    return placed(place, { name, pass: false, limit, actual: null, message });
  }
  const compared = suites.filter((one) => one.status === "compared");
  if (compared.length === 0) return notEvaluated(place, name, limit, whyNotCompared ?? noBaseline);
  const mute = compared.filter(saysNothing).map(({ suite }) => `"${suite}"`);
  if (mute.length > 0) {
    const why = `no case of suite ${mute.join(", ")} can be compared with its baseline`;
    const message = `${nameIn(place, name)} cannot be evaluated: ${why}`;
    return placed(place, { name, pass: false, limit, actual: null, message });
  }
  const found = find(compared);
  if ("exemption" in found) return notEvaluated(place, name, limit, found.exemption);
  const { actual, pass } = found;
  const message = `${nameIn(place, name)}${pass || actual !== null ? ": " : " cannot be evaluated: "}${found.message}`;
  return placed(place, { name, pass, limit, actual, message });
}

/**
 * There is a baseline, and nothing of it could be compared: cases were renamed, say, or checks have changed. New cases
 * and quarantined ones alone are not a reason: nobody has promised anything about them.
 */
function saysNothing({ cases, removed, changedChecks, uncompared }: ComparedSuite): boolean {
  const silent = uncompared.filter(({ reason }) => reason !== allowedReason);
  return cases === 0 && removed.length + changedChecks.length + silent.length > 0;
}
