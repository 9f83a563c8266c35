import type { ArmComparison } from "../summary/arm-comparison.js";
import type { SuiteSummary } from "../summary/case-summary.js";
import type { RunComparison } from "../summary/comparison-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import { mapOf } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { leaf, type Shape, type Static } from "../shape/shape.js";
import { decideCompared, isWithoutBaseline } from "./decide-compared.js";
import { isRecord } from "../values/json.js";
import { points } from "../values/percent.js";
import { isWithin, renderFigure, type ArmLimit, type GatedSummary, type SummaryLimit } from "./gate-limit.js";
import { nameIn, nameOfGate, notEvaluated, placed, type GatePlace } from "./gate-place.js";
import type { GateResult } from "./gate-result.js";
import { definitionOf, gatesIn, resultNameOf, type GateConfig } from "./registry.js";

const isNumber = (value: unknown): boolean => typeof value === "number";

/** Each gate has a number, numbers by their names, or a word. */
const isLimit = (value: unknown): boolean =>
  isNumber(value) || typeof value === "string" || (isRecord(value) && Object.values(value).every(isNumber));

const gateConfigShape: Shape<GateConfig> = leaf(
  "gates",
  {},
  "must be the limits of gates",
  (stored) => isRecord(stored) && Object.values(stored).every(isLimit),
  (gates, view) => view.value(gates),
);

/** The gates of a run, and those of its suites by their names. */
export const gateRulesShape = record(
  { gates: gateConfigShape },
  {
    /** Absent if no suite has its own gates. */
    suiteGates: mapOf(gateConfigShape),
  },
);
export type GateRules = Static<typeof gateRulesShape>;

/** What gates evaluate. */
export interface GatedRun {
  summary: GatedSummary;
  suiteSummaries: readonly SuiteSummary[];
  comparison?: RunComparison | undefined;
  /** Why the run was not compared, although there may be baselines; null if there are none. */
  whyNotCompared?: string | null;
  /** How the arms of suites differ; absent if none has arms. */
  arms?: readonly ArmComparison[];
}

/**
 * Evaluates the gates that the config sets, those of the run first. One that cannot be evaluated does not pass, unless
 * there is nothing that it could be about: a replay has no latency, a suite none of whose cases ran no rate, and without
 * any baseline there is no regression.
 */
export function decideGates(rules: GateRules, run: GatedRun): readonly GateResult[] {
  const { summary, suiteSummaries, comparison, whyNotCompared = null, arms = [] } = run;
  const decide = (subject: GatedSummary, place: GatePlace): readonly GateResult[] => {
    const all = comparison?.suites ?? [];
    const compared = { suites: all.filter(({ suite }) => place === null || suite === place), whyNotCompared };
    return gatesIn(gatesOf(rules, place)).flatMap(({ gate, limits }) =>
      limits.map((limit) =>
        "arm" in limit
          ? decideArm(resultNameOf(gate, limit.part), limit, arms, place)
          : "find" in limit
            ? decideCompared(resultNameOf(gate), limit, compared, place)
            : decideFigure(resultNameOf(gate, limit.part), limit, subject, place),
      ),
    );
  };
  return [...decide(summary, null), ...suiteSummaries.flatMap((subject) => decide(subject, subject.suite))];
}

/** The gates of a suite, or of the run. A suite may be called "constructor". */
export function gatesOf({ gates, suiteGates = {} }: GateRules, place: GatePlace): GateConfig {
  if (place === null) return gates;
  return Object.hasOwn(suiteGates, place) ? (suiteGates[place] ?? {}) : {};
}

function decideFigure(name: string, rule: SummaryLimit, subject: GatedSummary, place: GatePlace): GateResult {
  const { limit, bound, unit } = rule;
  const actual = rule.actualOf(subject);
  const isIdle = place !== null && actual === null && subject.total === subject.skipped;
  const exemption = rule.exempts?.(subject) ?? (isIdle ? "none of its cases ran" : null);
  if (exemption !== null) return notEvaluated(place, name, limit, exemption);
  const pass = actual !== null && isWithin(rule, actual);
  const wanted = `${bound} ${renderFigure(limit, unit)}`;
  const message = `${nameIn(place, name)}: ${found(rule, actual, pass)}, expected ${wanted}`;
  return placed(place, { name, pass, limit, actual, message });
}

/**
 * An arm passes where the whole interval is above the limit. One that is to be better must be shown to be, which takes account of
 * how many arms were compared.
 */
function decideArm(
  name: string,
  { arm, limit }: ArmLimit,
  compared: readonly ArmComparison[],
  place: GatePlace,
): GateResult {
  const suites = compared.filter(({ suite, arms }) => (place ?? suite) === suite && arms.some(({ id }) => id === arm));
  const differences = suites.flatMap(({ arms, differences: all }) =>
    all.filter(({ from, to }) => to === arm && from === arms[0]?.id),
  );
  const [first] = differences;
  const hasRun = suites.some(({ arms }) => arms.some(({ id, cases }) => id === arm && cases > 0));
  if (first === undefined) {
    if (suites.length > 0 && !hasRun) return notEvaluated(place, name, limit, "the arm did not run");
    const why = suites.length === 0 ? `there is no arm "${arm}"` : "it has no case in common with the first arm";
    const message = `${nameIn(place, name)} cannot be evaluated: ${why}`;
    return placed(place, { name, pass: false, limit, actual: null, message });
  }
  const worst = differences.reduce((least, one) => (one.interval[0] < least.interval[0] ? one : least), first);
  const [low] = worst.interval;
  const isShown = limit < 0 || differences.every(({ verdict }) => verdict === "better");
  const measured = `${points(worst.mean)} points against ${worst.from} (95% interval ${worst.interval.map(points).join(" to ")})`;
  const wanted = limit === 0 ? "to be shown to be better" : `at least ${points(limit)} with 95% certainty`;
  const message = `${nameIn(place, name)}: ${measured}, expected ${wanted}`;
  return placed(place, { name, pass: isShown && low >= limit, limit, actual: low, message });
}

/** What fails by less than the digits that are shown must not look as if it were the limit. */
function found({ bound, limit, unit }: SummaryLimit, actual: number | null, pass: boolean): string {
  if (actual === null) return "unknown";
  const shown = renderFigure(actual, unit);
  if (pass || shown !== renderFigure(limit, unit)) return shown;
  return `just ${bound === "at least" ? "under" : "over"} ${shown}`;
}

/** A gate that needs a baseline says nothing before one is set; the owner of the gate should be notified. */
export function warnOfGates(gates: readonly GateResult[], whyNotCompared: string | null = null): readonly Diagnostic[] {
  const idle = gates.filter(
    (gate) => isWithoutBaseline(gate, whyNotCompared) && definitionOf(gate)?.needsBaseline === true,
  );
  if (idle.length === 0) return [];
  const names = idle.map((gate) => `gate ${nameOfGate(gate)}`).join(", ");
  if (whyNotCompared !== null) {
    const message = `The run is not compared with a baseline: ${whyNotCompared}. Not evaluated: ${names}`;
    return [{ code: "BASELINE_NOT_FOUND", severity: "warning", message }];
  }
  const message = `No baseline to compare with: ${names}`;
  const hint = "Save the last run as the baseline: kindlm baseline set";
  return [{ code: "BASELINE_NOT_FOUND", severity: "warning", message, hint }];
}
