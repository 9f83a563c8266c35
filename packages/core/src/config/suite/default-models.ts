import type { ModelCatalog } from "../model-catalog.js";
import type { ResolvedModel } from "../resolved-model.js";
import type { WrittenConfig } from "../schema/config-schema.js";
import { Findings, type Finding } from "../source/finding.js";
import type { Section } from "../source/section.js";
import { namedModels } from "./named-models.js";
import { modelsWithRoles } from "./role-models.js";

/** The models that are tested where nothing nearer names any. */
export interface DefaultModels {
  /** As they are named, those that are not valid included. */
  ids: readonly string[];
  models: readonly ResolvedModel[];
  /** What is wrong with the others: no suite can run that is to be tested on them. */
  problems: readonly Finding[];
}

/** Those of the defaults, else all that are declared and play no user or judge in `suites`, which are as they are written. */
export function findDefaultModels(
  section: Section,
  { defaults }: Pick<WrittenConfig, "defaults">,
  suites: readonly unknown[],
  catalog: ModelCatalog,
): DefaultModels {
  if (defaults?.models !== undefined) {
    const findings = new Findings();
    const models = namedModels({ ...section, findings }, ["defaults", "models"], defaults.models, catalog);
    return { ids: [...new Set(defaults.models)], models, problems: findings.errors };
  }
  const taken = modelsWithRoles(defaults, suites);
  const tested = catalog.declared.filter(({ id }) => id === null || !taken.has(id));
  return {
    ids: tested.flatMap(({ id }) => id ?? []),
    models: tested.flatMap(({ found }) => ("model" in found ? found.model : [])),
    problems: tested.flatMap(({ found }) => ("broken" in found ? found.broken : [])),
  };
}
