import type { KindlmError } from "../errors/kindlm-error.js";

/** Stops everything that is in flight, with a reason. */
export interface RunAbort {
  /** Why everything stops; null while it goes on. */
  readonly stopped: KindlmError | null;
  stop(reason: KindlmError): void;
  /** Calls back at the stop; returns how to no longer be called. */
  onStop(callback: (reason: KindlmError) => void): () => void;
}

export function createRunAbort(): RunAbort {
  const callbacks = new Set<(reason: KindlmError) => void>();
  let stopped: KindlmError | null = null;
  return {
    get stopped() {
      return stopped;
    },
    stop(reason) {
      if (stopped !== null) return;
      stopped = reason;
      for (const callback of callbacks) callback(reason);
    },
    onStop(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}
