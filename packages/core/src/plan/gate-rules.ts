import type { GateRules } from "../gates/decide-gates.js";
import type { RunPlan } from "./run-plan.js";

/** The gates of a run, and those that suites have for themselves, by their names. */
export function gateRulesOf({ gates, suites }: Pick<RunPlan, "gates" | "suites">): GateRules {
  const ofSuites = suites.flatMap((suite) =>
    suite.status === "ready" && suite.source.gates !== undefined ? [[suite.name, suite.source.gates] as const] : [],
  );
  return ofSuites.length === 0 ? { gates } : { gates, suiteGates: Object.fromEntries(ofSuites) };
}
