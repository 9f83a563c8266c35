import type { PlannedCase } from "../../plan/run-plan.js";
import type { RunEventBody, TrialRef } from "../run-event.js";
import { endAtToolError } from "./end-at-tool-error.js";
import { nudgeAfterToolError } from "./nudge-after-tool-error.js";
import type { Nudge } from "./nudge.js";
import { goOn, type ToolErrorPolicy } from "./tool-error-policy.js";

/** `stopped`: the trial is over for another reason. */
export function createToolErrorPolicy(
  { test, limits }: PlannedCase,
  stopped: AbortSignal,
  ref: TrialRef,
  emit: (event: RunEventBody) => void,
): ToolErrorPolicy {
  const { onToolError } = test;
  if (onToolError === null) return goOn;
  if (onToolError === "fail") return endAtToolError({ stopped, isModel: test.target === null });
  const onNudge = (nudge: Nudge): void => emit({ channel: "progress", type: "nudge", ...ref, ...nudge });
  return nudgeAfterToolError({ ...onToolError, maxTurns: limits.maxTurns, onNudge });
}
