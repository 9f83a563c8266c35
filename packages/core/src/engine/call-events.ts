import type { CallListener } from "../resilience/call-endpoint.js";
import type { CallRole, RunEventBody, TrialRef } from "./run-event.js";

/** Emits what happens around a request that is not the agent's own. */
export function callEvents(
  emit: (event: RunEventBody) => void,
  named: TrialRef & Required<Pick<CallRole, "role">> & { turn: number },
): CallListener {
  return {
    queueStarted: ({ provider, lane }) =>
      emit({ channel: "progress", type: "queue:start", ...named, provider, model: lane }),
    queueEnded: ({ provider, lane }) =>
      emit({ channel: "progress", type: "queue:end", ...named, provider, model: lane }),
    attemptStarted: (attempt, { provider, lane }) =>
      emit({ channel: "monitor", type: "attempt:start", ...named, attempt, provider, model: lane }),
    attemptEnded: ({ attempt, provider, latencyMs, error }) =>
      emit({ channel: "monitor", type: "attempt:end", ...named, attempt, provider, latencyMs, error }),
    retryStarted: ({ provider, lane }, wait) =>
      emit({ channel: "progress", type: "retry:start", ...named, provider, model: lane, ...wait }),
    retryEnded: (attempt, provider) => emit({ channel: "progress", type: "retry:end", ...named, attempt, provider }),
    fellBack: (from, to, error) => emit({ channel: "progress", type: "fallback", ...named, from, to, error }),
  };
}
