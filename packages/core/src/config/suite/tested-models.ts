import { isRecord } from "../../values/json.js";
import type { ModelCatalog } from "../model-catalog.js";
import type { ResolvedModel } from "../resolved-model.js";
import type { WrittenConfig } from "../schema/config-schema.js";
import { Findings, type Finding } from "../source/finding.js";
import { report, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";

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
  { defaults, agents }: Pick<WrittenConfig, "defaults" | "agents">,
  suites: readonly unknown[],
  catalog: ModelCatalog,
): DefaultModels {
  if (defaults?.models !== undefined) {
    const findings = new Findings();
    const models = namedModels({ ...section, findings }, ["defaults", "models"], defaults.models, catalog);
    return { ids: [...new Set(defaults.models)], models, problems: findings.errors };
  }
  const taken = modelsWithRoles(defaults, [{ agents }, ...suites]);
  const tested = catalog.declared.filter(({ id }) => id === null || !taken.has(id));
  return {
    ids: tested.flatMap(({ id }) => id ?? []),
    models: tested.flatMap(({ found }) => ("model" in found ? found.model : [])),
    problems: tested.flatMap(({ found }) => ("broken" in found ? found.broken : [])),
  };
}

/** The keys of assertions that hold others. */
const combining = ["all_of", "any_of", "of"];

/**
 * The models that play users, score answers or make vectors somewhere, as they are named: where nothing says which models are tested,
 * these are not. Nor are those of sub-agents. `defaults` and `suites` are as they are written.
 */
function modelsWithRoles(defaults: unknown, suites: readonly unknown[]): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (name: unknown): void => {
    if (typeof name === "string") names.add(name);
  };
  const addAsserted = (list: unknown): void => {
    for (const one of listOf(list)) {
      if (!isRecord(one)) continue;
      add(one["model"]);
      for (const key of combining) if (key in one) addAsserted(one[key]);
    }
  };
  const addAgent = (agent: unknown): void => {
    if (!isRecord(agent)) return;
    const { model } = agent;
    add(isRecord(model) ? `${String(model["provider"])}:${String(model["model"])}` : model);
  };
  const addLevel = (level: unknown): Record<string, unknown> => {
    if (!isRecord(level)) return {};
    add(level["judge"]);
    add(level["embedder"]);
    addAsserted(level["assert"]);
    for (const agent of listOf(level["agents"])) addAgent(agent);
    const retry = level["retry_until"];
    if (isRecord(retry)) for (const key of ["assert", "stop_when"]) addAsserted(retry[key]);
    return level;
  };
  addLevel(defaults);
  for (const suite of suites) {
    for (const written of listOf(addLevel(suite)["tests"])) {
      const test = addLevel(written);
      const user = test["simulated_user"];
      if (isRecord(user)) add(user["model"]);
      for (const turn of listOf(test["conversation"])) addLevel(turn);
    }
  }
  return names;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The models of a `models:` list, each once. Names that mean nothing or no valid model are reported. */
export function namedModels(
  section: Section,
  at: Path,
  names: readonly string[],
  models: Pick<ModelCatalog, "find">,
): readonly ResolvedModel[] {
  const found = new Set<ResolvedModel>();
  for (const [index, name] of names.entries()) {
    const outcome = models.find(name);
    if ("problem" in outcome) report(section, { ...outcome.problem, path: [...at, index] });
    else if ("broken" in outcome) section.findings.add(...outcome.broken);
    else found.add(outcome.model);
  }
  return [...found];
}
