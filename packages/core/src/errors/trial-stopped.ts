import { kindlmError, type KindlmErrorOf } from "./kindlm-error.js";

/**
 * What a part of a trial returns once its signal has aborted. Why it aborted is on the deadline of the trial. `hint`: what to
 * do if it was the deadline itself.
 */
export function trialStopped(hint?: string): KindlmErrorOf<"ENGINE_ABORTED"> {
  return kindlmError("ENGINE_ABORTED", "The trial was stopped", hint === undefined ? {} : { details: { hint } });
}
