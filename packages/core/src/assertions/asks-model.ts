import type { ParsedCheck } from "./parsed-assertion.js";

/** Whether a check asks a model. Of types that may do without one, its options say so by what they refer to. */
export function asksModel({ definition, references }: ParsedCheck): boolean {
  return definition.kind === "judge" || references.some(({ kind }) => kind === "judge" || kind === "embedder");
}
