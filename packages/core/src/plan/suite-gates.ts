import type { GateConfig } from "../gates/registry.js";
import type { RunPlan } from "./run-plan.js";

/** The gates that suites have for themselves, by their names; undefined where none has any. */
export function suiteGatesOf({ suites }: Pick<RunPlan, "suites">): Readonly<Record<string, GateConfig>> | undefined {
  const gates = suites.flatMap((suite) =>
    suite.status === "ready" && suite.source.gates !== undefined ? [[suite.name, suite.source.gates] as const] : [],
  );
  return gates.length === 0 ? undefined : Object.fromEntries(gates);
}
