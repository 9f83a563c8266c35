import type { ResolvedModel } from "./resolved-config.js";

/** A model that assertions ask. */
export interface AskedModel {
  model: ResolvedModel;
  /** A `retry_until` asks it, so that it has a say in how the conversation goes on. */
  steers: boolean;
}

/** The models that the assertions of a test ask, by the names that they write; null is the name of the test's own. */
export type AskedModels = ReadonlyMap<string | null, AskedModel>;
