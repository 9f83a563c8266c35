import type { ResolvedModel } from "../resolved-model.js";

/** Two ids may stand for one model of one provider; a scripted model is what its script makes of it. */
export function isSameModel(one: ResolvedModel, other: ResolvedModel): boolean {
  if (one === other) return true;
  const [a, b] = [one.settings, other.settings];
  const isScripted = Object.keys(one.definition.documents).length > 0;
  return !isScripted && a.providerName === b.providerName && a.model === b.model;
}
