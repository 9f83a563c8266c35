import type { ResolvedModel } from "./resolved-model.js";
import type { Finding, Findings } from "./source/finding.js";
import type { Problem } from "./source/section.js";

/** What a name means: a model, one whose entry or provider is not valid, or nothing. */
export type FoundModel = { model: ResolvedModel } | { broken: readonly Finding[] } | { problem: Problem };

/** An entry of `models:`. */
export interface DeclaredModel {
  /** Null where it has none that can be read. */
  id: string | null;
  found: FoundModel;
}

export interface ModelCatalog {
  /** In the order of the config, those that are not valid included. */
  declared: readonly DeclaredModel[];
  /** The model of this id, or of a `provider:model` name. */
  find(name: string): FoundModel;
  /** What was found in the entries, each on its own: a broken one concerns those alone who use it. */
  findings: readonly Findings[];
  /** Warns of fallbacks that nothing looks at: those who play users or judge need no permission for theirs. */
  reportIdleFallbacks(helpers: ReadonlySet<ResolvedModel>): void;
}
