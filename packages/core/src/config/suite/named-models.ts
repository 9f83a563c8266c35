import type { ResolvedModel } from "../resolved-model.js";
import type { ModelCatalog } from "../model-catalog.js";
import { report, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";

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
