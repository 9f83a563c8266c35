import type { CallListener } from "../../resilience/call-endpoint.js";
import type { SessionListener } from "../target.js";

/** Adds the turn to what is heard of a call. */
export function listenInTurn(listener: SessionListener, turn: () => number): CallListener {
  return {
    queueStarted: (model) => listener.queueStarted(turn(), model),
    queueEnded: (model) => listener.queueEnded(turn(), model),
    attemptStarted: (attempt, model) => listener.attemptStarted(turn(), attempt, model),
    attemptEnded: (record) => listener.attemptEnded(turn(), record),
    retryStarted: (model, wait) => listener.retryStarted(turn(), model, wait),
    retryEnded: (attempt, provider) => listener.retryEnded(turn(), attempt, provider),
    fellBack: (from, to, error) => listener.fellBack(turn(), from, to, error),
  };
}
