import type { ResolvedModel } from "../resolved-model.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import type { Section } from "../source/section.js";
import { createAuxiliaryModels, nameModel, type AuxiliaryModelCollector } from "./create-auxiliary-models.js";
import { isSameModel } from "./is-same-model.js";
import type { TestScope } from "./test-scope.js";
import { providerDefinitions } from "../../providers/registry.js";

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

/** Gathers the embedding models of a test; `embedder:` of test, suite and defaults serves assertions that name none. */
function createEmbedders(
  section: Section,
  test: WrittenTest,
  { scope, embedder }: Pick<TestScope, "scope" | "embedder">,
): AuxiliaryModelCollector {
  const { models } = scope;
  return createAuxiliaryModels({
    models,
    own: nameModel(section, ["embedder"], test.embedder, models) ?? embedder ?? scope.defaultEmbedder,
    missing: {
      message: "This assertion needs an embedding model, but none is set",
      hint: "Add embedder: <model> to defaults, the suite or the test, or model: <model> to the assertion; or choose a method without a model",
    },
    warn({ id, definition }) {
      if (definition.embeds === true) return null;
      const able = providerDefinitions.filter(({ embeds }) => embeds).map(({ type }) => type);
      return {
        message: `"${id}" cannot create embeddings: KindLM supports none of ${definition.label}`,
        hint: `Providers with embeddings: ${able.join(", ")}`,
      };
    },
  });
}

/** Gathers the judges of a test; `judge:` of test, suite and defaults serves the assertions that name none. */
function createJudges(
  section: Section,
  test: WrittenTest,
  tested: readonly ResolvedModel[],
  { scope, judge }: Pick<TestScope, "scope" | "judge">,
): AuxiliaryModelCollector {
  const { models } = scope;
  return createAuxiliaryModels({
    models,
    own: nameModel(section, ["judge"], test.judge, models) ?? judge ?? scope.defaultJudge,
    missing: {
      message: "This assertion needs a judge, but none is set",
      hint: "Add judge: <model> to defaults, the suite or the test, or model: <model> to the assertion",
    },
    warn(model) {
      // The fallbacks of a judge need no permission, and any of them may be used at any time.
      const twins = [model, ...model.fallback].map((asked) => tested.find((other) => isSameModel(other, asked)));
      const twin = twins.find((one) => one !== undefined);
      if (twin === undefined) return null;
      const role = twins[0] === undefined ? `a fallback of the judge "${model.id}"` : "the judge";
      return {
        severity: "warning",
        message: `"${twin.id}" judges itself here: ${role} is the model under test`,
        hint: "Name another model as the judge: models overrate their own answers",
      };
    },
  });
}
