import type { ResolvedModel } from "./resolved-model.js";
import type { CallLevel } from "./call-settings.js";
import type { ModelCatalog } from "./model-catalog.js";
import { report } from "./source/section.js";
import { namedModels } from "./suite/tested-models.js";

/** Finds the models that `fallback` names, once all models are known. */
export interface FallbackLinker {
  /** `levels` from near to far: model, provider, top level. */
  chainFor(model: ResolvedModel, levels: readonly CallLevel[]): readonly ResolvedModel[];
  /** Warns of lists that no call will ever look at, once it is known which models play users or judge. */
  reportIdle(helpers: ReadonlySet<ResolvedModel>): void;
}

export function createFallbackLinker(catalog: Pick<ModelCatalog, "find">): FallbackLinker {
  // A list of a provider or of the top level serves many models, and what is wrong with it is reported once.
  const chains = new Map<readonly string[], readonly ResolvedModel[]>();

  const chainOf = ({ section }: CallLevel, names: readonly string[]): readonly ResolvedModel[] => {
    const known = chains.get(names);
    if (known !== undefined) return known;
    chains.set(names, []);
    const chain = namedModels(section, ["fallback"], names, catalog);
    chains.set(names, chain);
    return chain;
  };

  const uses = new Map<readonly string[], { level: CallLevel; models: ResolvedModel[] }>();

  return {
    reportIdle(helpers) {
      for (const [names, { level, models }] of uses) {
        const [first] = models;
        if (names.length === 0 || first?.allowsFallback === true) continue;
        if (models.some((model) => helpers.has(model))) continue;
        report(level.section, {
          path: ["fallback"],
          atKey: true,
          severity: "warning",
          message: `"fallback" does nothing for a model under test unless allow_fallback is true`,
          hint: "Add allow_fallback: true. A test may then pass with another model's answer",
        });
      }
    },
    chainFor(model, levels) {
      const level = levels.find(({ call }) => call.fallback !== undefined);
      const names = level?.call.fallback;
      if (level === undefined || names === undefined) return [];
      const chain = chainOf(level, names);
      if (level === levels[0] && chain.includes(model)) {
        report(level.section, {
          path: ["fallback", names.indexOf(model.id)],
          message: `Model "${model.id}" lists itself under fallback`,
          hint: "Remove it",
        });
      }
      const use = uses.get(names);
      if (use === undefined) uses.set(names, { level, models: [model] });
      else use.models.push(model);
      return chain.filter((other) => other !== model);
    },
  };
}
