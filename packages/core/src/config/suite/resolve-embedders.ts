import { providerDefinitions } from "../../providers/registry.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import type { Section } from "../source/section.js";
import { createAuxiliaryModels, nameModel, type AuxiliaryModelCollector } from "./create-auxiliary-models.js";
import type { TestScope } from "./test-scope.js";

/** Gathers the embedding models of a test; `embedder:` of test, suite and defaults serves assertions that name none. */
export function createEmbedders(
  section: Section,
  test: WrittenTest,
  { scope, embedder }: Pick<TestScope, "scope" | "embedder">,
): AuxiliaryModelCollector {
  const { models } = scope;
  return createAuxiliaryModels({
    models,
    own: nameModel(section, ["embedder"], test.embedder, models) ?? embedder ?? scope.defaultEmbedder,
    missing: {
      message: "This assertion compares embeddings, and no embedding model is named",
      hint: "Add embedder: <model> to defaults, the suite or the test, or model: <model> to the assertion; or choose a method without a model",
    },
    warn({ id, definition }) {
      if (definition.embeds === true) return null;
      const able = providerDefinitions.filter(({ embeds }) => embeds).map(({ type }) => type);
      return {
        message: `"${id}" cannot create embeddings: KindLM knows of none from ${definition.label}`,
        hint: `Providers with embeddings: ${able.join(", ")}`,
      };
    },
  });
}
