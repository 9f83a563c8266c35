import type { Diagnostic } from "../errors/error-table.js";
import type { RunPlan } from "../plan/run-plan.js";
import { gateRulesOf } from "../plan/gate-rules.js";
import { gatesOf } from "../gates/decide-gates.js";
import { gateDefinitions, gatesIn } from "../gates/registry.js";
import { nameSuites, type GatePlace } from "../gates/gate-place.js";

const readers = gateDefinitions.filter(({ readsFailures }) => readsFailures !== "none");

/**
 * Warns of suites whose failed tests no gate can decide about, though the config leaves them to the gates: they fail the
 * run as they do by default.
 */
export function warnOfUncovered(plan: Pick<RunPlan, "exitOn" | "gates" | "suites">): readonly Diagnostic[] {
  if (plan.exitOn !== "gates") return [];
  const rules = gateRulesOf(plan);
  const readsFailures = (place: GatePlace): boolean =>
    gatesIn(gatesOf(rules, place)).some(({ gate }) => readers.includes(gate));
  if (readsFailures(null)) return [];
  const open = plan.suites.filter(({ status, name }) => status === "ready" && !readsFailures(name));
  if (open.length === 0) return [];
  const names = nameSuites(open.map(({ name }) => name));
  const message = `No gate reads the failures of ${names}, so a failed test there fails the run despite exit_on: gates`;
  const hint = `Add ${readers.map(({ name }) => name).join(" or ")} to the gates of the suite or of the run`;
  return [{ code: "CONFIG_VALIDATION_ERROR", severity: "warning", message, hint }];
}
