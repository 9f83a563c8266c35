import type { KindlmError } from "../errors/kindlm-error.js";
import type { Result } from "../result.js";
import type { TargetSession } from "../targets/target.js";
import { waitedInVain } from "../tools/faults/model-faults.js";

/** Why a conversation did not go on; null if it did. `holding`: the fault that the agent waits for. */
export function stopReason(
  conversed: Result<void>,
  reason: KindlmError | null,
  session: Result<TargetSession>,
  holding: string | null,
): KindlmError | null {
  if (conversed.success) return null;
  return withStderr(
    waitedInVain(reason, holding) ?? withHint(reason, conversed.error) ?? conversed.error,
    session.success ? session.data.stderr() : "",
  );
}

/** What stopped at the deadline of the trial knows best what it waited for. */
function withHint(reason: KindlmError | null, stopped: KindlmError): KindlmError | null {
  if (reason?.code !== "ENGINE_TIMEOUT" || reason.details?.scope !== "trial") return reason;
  const hint = stopped.code === "ENGINE_ABORTED" ? stopped.details?.hint : undefined;
  return hint === undefined ? reason : { ...reason, details: { ...reason.details, hint } };
}

/** The last output of an agent's own program explains best why it did not answer. */
function withStderr(error: KindlmError, stderr: string): KindlmError {
  if (stderr === "") return error;
  if (error.code === "TARGET_ERROR") {
    return { ...error, details: { kind: "unexpected", ...error.details, stderr } };
  }
  if (error.code === "ENGINE_TIMEOUT" && error.details !== undefined) {
    return { ...error, details: { ...error.details, stderr } };
  }
  return error;
}
