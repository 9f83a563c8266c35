import { isRecord } from "../../values/json.js";

/**
 * The models that play users, score answers or make vectors somewhere, as they are named: where nothing says which models are tested,
 * these are not. `defaults` and `suites` are as they are written.
 */
export function modelsWithRoles(defaults: unknown, suites: readonly unknown[]): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (name: unknown): void => {
    if (typeof name === "string") names.add(name);
  };
  const addAsserted = (list: unknown): void => {
    for (const one of listOf(list)) {
      if (!isRecord(one)) continue;
      add(one["model"]);
      for (const key of ["all_of", "any_of", "of"]) addAsserted(one[key]);
    }
  };
  const addLevel = (level: unknown): Record<string, unknown> => {
    if (!isRecord(level)) return {};
    add(level["judge"]);
    add(level["embedder"]);
    addAsserted(level["assert"]);
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
