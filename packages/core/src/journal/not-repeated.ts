import { kindlmError, type KindlmErrorOf } from "../errors/kindlm-error.js";
import { previewCall } from "../values/preview.js";
import type { EffectCall } from "./effect-calls.js";

type Call = Pick<EffectCall, "tool" | "args">;

/** The agent made a call before it repeated what it had called before the interruption; the call was not made. */
export function otherCall(call: Call, expected: Call, resumedCalls: number): KindlmErrorOf<"ENGINE_ABORTED"> {
  const message = `The agent called ${shown(call)} before it repeated ${shown(expected)}, which it had called before the trial was interrupted. KindLM did not make the call`;
  return kindlmError("ENGINE_ABORTED", message, { details: { resumedCalls } });
}

/** The agent came to its end without what it had called before the interruption: its trial shows half of what happened. */
export function unrepeatedCalls(left: readonly Call[], resumedCalls: number): KindlmErrorOf<"ENGINE_ABORTED"> {
  const [first] = left;
  const more = left.length > 1 ? ` and ${left.length - 1} more` : "";
  const message = `The agent did not repeat ${first === undefined ? "a call" : shown(first)}${more}, called before the trial was interrupted`;
  return kindlmError("ENGINE_ABORTED", message, { details: { resumedCalls } });
}

function shown({ tool, args }: Call): string {
  return previewCall(tool, args);
}
