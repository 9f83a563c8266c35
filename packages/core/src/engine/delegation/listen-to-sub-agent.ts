import type { SessionListener } from "../../targets/target.js";
import { withInvoke, type ToolRuntime } from "../../tools/tool-runtime.js";
import { createSessionEvents } from "../open-session.js";
import type { CallRole, RunEventBody, TrialRef } from "../run-event.js";

/** An ID that no other agent of the trial has: models count their calls from the beginning in each conversation. */
const idIn = (number: number, id: string): string => `${number}/${id}`;

/** Reports what a sub-agent does, with its name. Its turns do not count as turns of the trial. `number`: of its conversation. */
export function listenToSubAgent(
  emit: (event: RunEventBody) => void,
  ref: TrialRef,
  path: readonly string[],
  number: number,
): SessionListener {
  const marked: TrialRef & CallRole = { ...ref, role: "sub_agent", agent: path };
  const listener = createSessionEvents(emit, marked);
  return {
    ...listener,
    turnStarted: () => {},
    turnEnded: () => {},
    toolStarted: (call) => listener.toolStarted({ ...call, id: idIn(number, call.id) }),
    toolEnded: (invocation) => {
      const { call } = invocation;
      listener.toolEnded({ ...invocation, call: { ...call, id: idIn(number, call.id) } });
    },
  };
}

/** Tools whose calls wait for approvals under the IDs that the events have. */
export function withPermissionIds(tools: ToolRuntime, number: number): ToolRuntime {
  return withInvoke(tools, async (call, options) => {
    const invocation = await tools.invoke(call, options);
    const { permission } = invocation;
    if (permission?.id === undefined) return invocation;
    return { ...invocation, permission: { ...permission, id: idIn(number, permission.id) } };
  });
}
