import type { SessionListener } from "../targets/target.js";
import type { ToolFailure } from "../transcript/tool-failure.js";
import type { RunEventBody, TrialRef } from "./run-event.js";

/** Emits what happens inside a session as events of its trial. */
export function createSessionEvents(emit: (event: RunEventBody) => void, ref: TrialRef): SessionListener {
  return {
    turnStarted: (turn) => emit({ channel: "progress", type: "turn:start", ...ref, turn }),
    turnEnded: (turn, finishReason) => emit({ channel: "progress", type: "turn:end", ...ref, turn, finishReason }),
    attemptStarted: (turn, attempt, provider) =>
      emit({ channel: "monitor", type: "attempt:start", ...ref, turn, attempt, provider }),
    attemptEnded: (turn, { attempt, provider, latencyMs, error }) =>
      emit({ channel: "monitor", type: "attempt:end", ...ref, turn, attempt, provider, latencyMs, error }),
    retryStarted: (turn, attempt, provider, waitMs, error) =>
      emit({ channel: "progress", type: "retry:start", ...ref, turn, attempt, provider, waitMs, error }),
    retryEnded: (turn, attempt, provider) =>
      emit({ channel: "progress", type: "retry:end", ...ref, turn, attempt, provider }),
    fellBack: (turn, from, to, error) => emit({ channel: "progress", type: "fallback", ...ref, turn, from, to, error }),
    toolStarted: ({ id, tool }) => emit({ channel: "progress", type: "tool:start", ...ref, tool, callId: id }),
    toolEnded: ({ call, outcome, events, durationMs, fallback, hook, resumed }) => {
      const named = { ...ref, tool: call.tool, callId: call.id };
      for (const { name, data } of events) emit({ channel: "monitor", type: "tool:event", ...named, name, data });
      const report = ({ errorType, message, retryable }: ToolFailure): void =>
        emit({
          channel: "monitor",
          type: "error",
          ...ref,
          severity: errorType === "exception" ? "error" : "warn",
          phase: "tool",
          message,
          detail: { tool: call.tool, errorType, retryable },
        });
      if (fallback !== undefined) {
        emit({ channel: "progress", type: "tool:fallback", ...named, ...fallback });
        report(fallback.reason);
      }
      if (!outcome.ok) {
        const args = call.malformed === undefined ? call.args : call.malformed.raw;
        const { failure } = outcome;
        const state = resumed === "sealed" ? "SEALED" : hook?.decision === "deny" ? "DENIED" : "FAILED";
        emit({ channel: "progress", type: "tool:error", ...named, args, failure, call: { state } });
        report(failure);
      }
      const decided = hook === undefined ? {} : { hook };
      emit({ channel: "progress", type: "tool:end", ...named, ok: outcome.ok, durationMs, ...decided });
    },
  };
}
