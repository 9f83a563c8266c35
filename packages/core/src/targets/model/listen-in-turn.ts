import type { CallListener } from "../../resilience/call-endpoint.js";
import type { SessionListener } from "../target.js";

/** Adds the turn to what is heard of a call. */
export function listenInTurn(listener: SessionListener, turn: () => number): CallListener {
  return {
    attemptStarted: (attempt, provider) => listener.attemptStarted(turn(), attempt, provider),
    attemptEnded: (record) => listener.attemptEnded(turn(), record),
    retryStarted: (attempt, provider, waitMs, error) => listener.retryStarted(turn(), attempt, provider, waitMs, error),
    retryEnded: (attempt, provider) => listener.retryEnded(turn(), attempt, provider),
    fellBack: (from, to, error) => listener.fellBack(turn(), from, to, error),
  };
}
