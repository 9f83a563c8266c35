import type { AssertionResult } from "../../assertions/assertion-result.js";
import { describeFailedCall } from "../../assertions/tool-expectations/describe-error.js";
import { placedCallData } from "../../assertions/tool-expectations/made-calls.js";
import { withSend, type Transcript } from "../../targets/target.js";
import { auditRecord } from "../../tools/audit-record.js";
import { withInvoke, type ToolInvocation } from "../../tools/tool-runtime.js";
import type { ToolErrorPolicy } from "./tool-error-policy.js";

export interface EndingSettings {
  /** Aborts when the trial is over for another reason; calls are interrupted then, and do not fail. */
  stopped: AbortSignal;
  /** False for a program, which runs its own loop. */
  isModel: boolean;
}

/**
 * Ends a trial at the first tool error. The model is not called again, and calls that have not started are not run; those
 * that are already running finish, so the record does not depend on which was first. A program is
 * stopped immediately, and what it asks for until it is gone is neither run nor recorded.
 */
export function endAtToolError({ stopped, isModel }: EndingSettings): ToolErrorPolicy {
  const end = new AbortController();
  const running = new Map<string, number>();
  let begun = 0;
  let lastCall: ToolInvocation | null = null;
  let lastPlace = Infinity;

  return {
    nudges: [],
    // What else stopped the trial counts more, such as a fixture that cannot answer.
    endedBy: (conversed) => (conversed.success || conversed.error.code === "ENGINE_ABORTED" ? lastCall : null),
    watch(settings) {
      const { listener, tools } = settings;
      return {
        ...settings,
        listener: {
          ...listener,
          toolStarted(call) {
            if (end.signal.aborted) return;
            running.set(call.id, begun);
            begun += 1;
            listener.toolStarted(call);
          },
          toolEnded(invocation) {
            const place = running.get(invocation.call.id);
            if (place === undefined) return;
            running.delete(invocation.call.id);
            listener.toolEnded(invocation);
            if (invocation.outcome.ok || invocation.isFixtureBroken || stopped.aborted) return;
            // It has not failed: nobody has answered whether it may run.
            if (invocation.permission?.decision === "pending") return;
            // Of calls that fail side by side, the first is the one that the agent made first.
            if (lastCall !== null && (!isModel || place > lastPlace)) return;
            [lastCall, lastPlace] = [invocation, place];
            end.abort();
          },
        },
        tools: withInvoke(tools, (call, { signal }) =>
          tools.invoke(call, { signal: end.signal.aborted ? end.signal : isModel ? stopped : signal }),
        ),
      };
    },
    wrap: (session) =>
      withSend(session, (message, { signal }) =>
        session.send(message, { signal: AbortSignal.any([signal, end.signal]) }),
      ),
    cut: ({ messages, turns, toolCalls, ...rest }) =>
      // A program that could not be killed, because it is a function, may still add to the lists.
      lastCall === null
        ? { messages, turns, toolCalls, ...rest }
        : { messages: [...messages], turns: [...turns], toolCalls: toolCalls.slice(0, begun), ...rest },
  };
}

/** The result of a trial that a tool error ended: it has failed, whatever its assertions say of what there was. */
export function resultOfEnding(lastCall: ToolInvocation, { toolCalls }: Transcript): AssertionResult {
  const { outcome } = lastCall;
  const error = outcome.ok ? undefined : outcome.failure;
  const call = toolCalls.find((made) => made.error === error) ?? auditRecord(lastCall);
  const cause = call.fault === undefined ? "" : ` (injected by the fault "${call.fault.id}")`;
  return {
    type: "on_tool_error",
    pass: false,
    score: 0,
    message: `The trial ended at the first tool error: ${describeFailedCall(call)}${cause}`,
    actual: placedCallData(call),
    weight: 1,
    durationMs: 0,
  };
}
