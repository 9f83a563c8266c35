import type { TrialToolCall } from "../transcript/trial.js";
import type { ToolInvocation } from "./tool-runtime.js";

/** What a trial keeps of a finished call; arguments that are not JSON are kept as they came. */
export function auditRecord(invocation: ToolInvocation): TrialToolCall {
  const {
    call,
    outcome,
    startedAt,
    durationMs,
    events,
    delegation,
    stateChanges,
    fault,
    fallback,
    hook,
    permission,
    resumed,
  } = invocation;
  return {
    tool: call.tool,
    args: call.malformed === undefined ? call.args : call.malformed.raw,
    ...(call.exactIntegers === undefined ? {} : { exactIntegers: call.exactIntegers }),
    ...(outcome.ok ? (outcome.value === undefined ? {} : { result: outcome.value }) : { error: outcome.failure }),
    ...(events.length > 0 ? { events } : {}),
    startedAt,
    durationMs,
    ...(delegation === undefined ? {} : { delegation }),
    ...(stateChanges === undefined ? {} : { stateChanges }),
    ...(fault === undefined ? {} : { fault }),
    ...(fallback === undefined ? {} : { fallback }),
    ...(hook === undefined ? {} : { hook }),
    ...(permission === undefined ? {} : { permission }),
    ...(resumed === undefined ? {} : { resumed }),
  };
}
