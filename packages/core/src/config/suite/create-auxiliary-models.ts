import type { AuxiliaryModel, AuxiliaryModels } from "../auxiliary-model.js";
import type { ResolvedModel } from "../resolved-model.js";
import type { ModelCatalog } from "../model-catalog.js";
import type { Finding } from "../source/finding.js";
import { findingIn, report, type Problem, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";

/** What a level of the config names for assertions that name no model. */
export interface NamedModel {
  /** Null where it is unknown or broken. */
  model: ResolvedModel | null;
  /** Why it is null. They concern every assertion that the level serves. */
  problems: readonly Finding[];
  section: Section;
  path: Path;
}

/** The model that stands at `path`; null where nothing does. What is wrong with it is reported. */
export function nameModel(
  section: Section,
  path: Path,
  written: string | undefined,
  models: Pick<ModelCatalog, "find">,
): NamedModel | null {
  if (written === undefined) return null;
  const found = models.find(written);
  if ("model" in found) return { model: found.model, problems: [], section, path };
  const problems = "broken" in found ? found.broken : [findingIn(section, { ...found.problem, path })];
  section.findings.add(...problems);
  return { model: null, problems, section, path };
}

/** Gathers the models that the assertions of a test ask in one role. */
export interface AuxiliaryModelCollector {
  /** `section` and `path`: where the assertion names the model, or is itself where it names none. */
  add(written: string | null, steers: boolean, section: Section, path: Path): void;
  readonly found: AuxiliaryModels;
}

export interface AuxiliaryModelRole {
  models: Pick<ModelCatalog, "find">;
  /** For assertions that name none; null where the test has none either. */
  own: NamedModel | null;
  /** What is said of an assertion that no model serves. */
  missing: Omit<Problem, "path">;
  /** What is to be said about a model in this role; null for nothing. */
  warn(model: ResolvedModel): Omit<Problem, "path"> | null;
}

const none: AuxiliaryModels = new Map();

export function createAuxiliaryModels({ models, own, missing, warn }: AuxiliaryModelRole): AuxiliaryModelCollector {
  let found: Map<string | null, AuxiliaryModel> | null = null;
  return {
    add(written, steers, section, path) {
      const named = written === null ? own : nameModel(section, path, written, models);
      if (named === null) return report(section, { ...missing, path });
      const { model, problems } = named;
      if (model === null) return section.findings.add(...problems);
      const warning = warn(model);
      // A key of the suite or of the defaults is warned of where it stands, once.
      if (warning !== null) report({ ...named.section, findings: section.findings }, { ...warning, path: named.path });
      found ??= new Map();
      found.set(written, { model, steers: steers || found.get(written)?.steers === true });
    },
    get found() {
      return found ?? none;
    },
  };
}
