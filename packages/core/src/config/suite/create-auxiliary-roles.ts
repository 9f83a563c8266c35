import type { ResolvedModel } from "../resolved-model.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import type { Section } from "../source/section.js";
import type { AuxiliaryModelCollector } from "./create-auxiliary-models.js";
import { createEmbedders } from "./resolve-embedders.js";
import { createJudges } from "./resolve-judges.js";
import type { TestScope } from "./test-scope.js";

/** The models that the assertions of a test ask, role by role. */
export interface AuxiliaryRoles {
  judges: AuxiliaryModelCollector;
  embedders: AuxiliaryModelCollector;
}

export function createAuxiliaryRoles(
  section: Section,
  test: WrittenTest,
  tested: readonly ResolvedModel[],
  shared: TestScope,
): AuxiliaryRoles {
  return { judges: createJudges(section, test, tested, shared), embedders: createEmbedders(section, test, shared) };
}
