import type { GateConfig } from "../config/gate-config.js";
import type { SuiteSummary } from "../summary/case-summary.js";
import type { RunComparison } from "../summary/comparison-result.js";
import type { GateResult } from "../engine/gate-result.js";
import type { RunSummary } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import { comparisonGates, decideComparisonGates } from "./comparison-gates.js";
import { nameIn, nameOfGate, notEvaluated, placed, type GatePlace } from "./gate-place.js";
import { isWithin, measuredGates, type GatedSummary, type MeasuredGate } from "./measured-gates.js";

/** The gates of a run, and those of its suites by their names. */
export interface GateRules {
  gates: GateConfig;
  /** Absent when no suite has gates of its own. */
  suiteGates?: Readonly<Record<string, GateConfig>>;
}

/** What gates are about. */
export interface GatedRun {
  summary: RunSummary;
  suiteSummaries: readonly SuiteSummary[];
  comparison?: RunComparison | undefined;
  /** Why the run was not compared, although there may be baselines; null if there are none. */
  whyNotCompared?: string | null;
}

/**
 * Evaluates the gates that the config sets, those of the run first. One that cannot be evaluated does not pass, unless
 * there is nothing that it could be about: a replay has no latency, a suite none of whose cases ran no rate, and without
 * any baseline there is no regression.
 */
export function decideGates(rules: GateRules, run: GatedRun): readonly GateResult[] {
  const { summary, suiteSummaries, comparison, whyNotCompared = null } = run;
  const decide = (config: GateConfig, subject: GatedSummary, place: GatePlace): readonly GateResult[] => [
    ...measuredGates.flatMap((gate) => decideMeasured(gate, config, subject, place)),
    ...decideComparisonGates(config, comparison, place, whyNotCompared),
  ];
  return [
    ...decide(rules.gates, summary, null),
    ...suiteSummaries.flatMap((subject) => decide(gatesOf(rules, subject.suite), subject, subject.suite)),
  ];
}

/** The gates of a suite, or of the run. A suite may be called "constructor". */
export function gatesOf({ gates, suiteGates = {} }: GateRules, place: GatePlace): GateConfig {
  if (place === null) return gates;
  return Object.hasOwn(suiteGates, place) ? (suiteGates[place] ?? {}) : {};
}

function decideMeasured(
  gate: MeasuredGate,
  config: GateConfig,
  subject: GatedSummary,
  place: GatePlace,
): readonly GateResult[] {
  const limit = gate.limitOf(config);
  if (limit === undefined) return [];
  const actual = gate.actualOf(subject);
  const isIdle = place !== null && actual === null && subject.total === subject.skipped;
  const exemption = gate.exempts?.(subject) ?? (isIdle ? "none of its cases ran" : null);
  if (exemption !== null) return [notEvaluated(place, gate.name, limit, exemption)];
  const pass = actual !== null && isWithin(gate, actual, limit);
  const wanted = `${gate.atLeast ? "at least" : "at most"} ${gate.render(limit)}`;
  const message = `${nameIn(place, gate.name)} is ${found(gate, actual, limit, pass)}, required ${wanted}`;
  return [placed(place, { name: gate.name, pass, limit, actual, message })];
}

/** What trips by less than the digits that are shown must not look as if it were the limit. */
function found(gate: MeasuredGate, actual: number | null, limit: number, pass: boolean): string {
  if (actual === null) return "unknown";
  const shown = gate.render(actual);
  if (pass || shown !== gate.render(limit)) return shown;
  return `just ${gate.atLeast ? "under" : "over"} ${shown}`;
}

/** A gate that needs a baseline says nothing before one is set; who has set the gate should hear of it. */
export function warnOfGates(gates: readonly GateResult[], whyNotCompared: string | null = null): readonly Diagnostic[] {
  const idle = gates.filter(
    ({ name, evaluated }) => evaluated === false && comparisonGates.some((gate) => gate.name === name),
  );
  if (idle.length === 0) return [];
  const names = idle.map((gate) => `gate ${nameOfGate(gate)}`).join(", ");
  if (whyNotCompared !== null) {
    const message = `The run is not compared with a baseline: ${whyNotCompared}. Not evaluated: ${names}`;
    return [{ code: "BASELINE_NOT_FOUND", severity: "warning", message }];
  }
  const message = `There is no baseline to compare with for ${names}`;
  const hint = "kindlm baseline set takes the last run as the baseline";
  return [{ code: "BASELINE_NOT_FOUND", severity: "warning", message, hint }];
}
