import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { wrapAuxiliaryError } from "../wrap-auxiliary-error.js";

/** Says of a provider's error that a judge met it, and not the agent. */
export function judgeError(error: KindlmError, judge: string, tries: number, role = "judge"): KindlmError {
  return wrapAuxiliaryError(error, (details, cause) =>
    kindlmError("JUDGE_EVAL_ERROR", `The ${role} ${judge} could not be asked: ${error.message}`, {
      details: { judge, tries, ...details },
      cause,
    }),
  );
}
