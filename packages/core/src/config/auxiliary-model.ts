import type { Result } from "../result.js";
import type { ResolvedModel } from "./resolved-model.js";

/** A model that assertions ask. */
export interface AuxiliaryModel {
  model: ResolvedModel;
  /** A `retry_until` asks it, so it influences how the conversation continues. */
  steers: boolean;
}

/** The models that the assertions of a test ask, by the names that they write; null is the name of the test's own. */
export type AuxiliaryModels = ReadonlyMap<string | null, AuxiliaryModel>;

/** The models of a config, for requests that do not belong to a test. */
export interface ConfigModels {
  /** `judge` of the defaults; null for none. */
  judge: ResolvedModel | null;
  /** By its id, or as provider:model. The error says what is wrong with the name, with a hint where there is one. */
  find(name: string): Result<ResolvedModel, { message: string; hint?: string | undefined }>;
}
