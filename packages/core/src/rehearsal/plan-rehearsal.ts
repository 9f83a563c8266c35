import type { ResolvedModel } from "../config/resolved-model.js";
import { derivePlan } from "../plan/derive-plan.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import type { ProviderDefinition } from "../providers/define-provider.js";

/** A function that puts another provider behind models, the same one behind the same model. */
export function createModelReplacer(
  definitionOf: (model: ResolvedModel) => ProviderDefinition,
): (model: ResolvedModel) => ResolvedModel {
  const models = new Map<ResolvedModel, ResolvedModel>();
  return (model) => {
    const known = models.get(model) ?? { ...model, definition: definitionOf(model) };
    models.set(model, known);
    return known;
  };
}

/** A plan of these cases alone, each as `rehearsed` makes it. Broken suites stay out, and so do those without a case. */
export function planRehearsal(
  plan: RunPlan,
  kept: readonly PlannedCase[],
  rehearsed: (planned: PlannedCase) => PlannedCase,
): RunPlan {
  return derivePlan(
    plan,
    () => kept.map(rehearsed),
    () => [],
  );
}
