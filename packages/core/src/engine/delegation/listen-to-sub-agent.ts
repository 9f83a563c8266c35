import type { SessionListener } from "../../targets/target.js";
import { createSessionEvents } from "../open-session.js";
import type { CallRole, RunEventBody, TrialRef } from "../run-event.js";

/** Reports what a sub-agent does, with its name. Its turns do not count as turns of the trial. `number`: of its conversation. */
export function listenToSubAgent(
  emit: (event: RunEventBody) => void,
  ref: TrialRef,
  path: readonly string[],
  number: number,
): SessionListener {
  const marked: TrialRef & CallRole = { ...ref, role: "sub_agent", agent: path };
  const listener = createSessionEvents(emit, marked);
  // Models count their calls from the beginning in each conversation.
  const idOf = (id: string): string => `${number}/${id}`;
  return {
    ...listener,
    turnStarted: () => {},
    turnEnded: () => {},
    toolStarted: (call) => listener.toolStarted({ ...call, id: idOf(call.id) }),
    toolEnded: (invocation) => {
      const { call } = invocation;
      listener.toolEnded({ ...invocation, call: { ...call, id: idOf(call.id) } });
    },
  };
}
