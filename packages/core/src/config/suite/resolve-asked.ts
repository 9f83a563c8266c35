import type { ResolvedModel } from "../resolved-model.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import type { Section } from "../source/section.js";
import type { AskedModelCollector } from "./asked-models.js";
import { createEmbedders } from "./resolve-embedders.js";
import { createJudges } from "./resolve-judges.js";
import type { TestScope } from "./test-scope.js";

/** The models that the assertions of a test ask, role by role. */
export interface AskedOfTest {
  judges: AskedModelCollector;
  embedders: AskedModelCollector;
}

export function createAsked(
  section: Section,
  test: WrittenTest,
  tested: readonly ResolvedModel[],
  shared: TestScope,
): AskedOfTest {
  return { judges: createJudges(section, test, tested, shared), embedders: createEmbedders(section, test, shared) };
}
