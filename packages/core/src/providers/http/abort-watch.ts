/** Tells many requests of one abort through a single listener. */
export interface AbortWatch {
  /** Calls back when the signal aborts, unless cancelled by the returned function. */
  add(signal: AbortSignal, callback: () => void): () => void;
}

/**
 * Many requests share the signal of a run. One listener for each would make Node warn of a leak and cost more than the
 * set kept here; the listener is removed with its last request.
 */
export function createAbortWatch(): AbortWatch {
  const watched = new WeakMap<AbortSignal, { callbacks: Set<() => void>; listener: () => void }>();

  const watch = (signal: AbortSignal): { callbacks: Set<() => void>; listener: () => void } => {
    const known = watched.get(signal);
    if (known !== undefined) return known;
    const callbacks = new Set<() => void>();
    const listener = (): void => {
      // Each callback takes itself out of the set, which iteration over a set allows.
      for (const callback of callbacks) callback();
    };
    signal.addEventListener("abort", listener);
    const entry = { callbacks, listener };
    watched.set(signal, entry);
    return entry;
  };

  return {
    add(signal, callback) {
      const { callbacks, listener } = watch(signal);
      callbacks.add(callback);
      return () => {
        callbacks.delete(callback);
        if (callbacks.size > 0) return;
        signal.removeEventListener("abort", listener);
        watched.delete(signal);
      };
    },
  };
}
