/** Notifies many requests of one abort through a single listener. */
export interface AbortWatch {
  /** Calls back when the signal aborts, unless cancelled by the returned function. */
  add(signal: AbortSignal, callback: () => void): () => void;
}

/**
 * Many requests share one signal, at the same time or one after the other. One listener for each would make Node warn
 * of a leak, and cost more than the list kept here; the listener stays as long as the signal does.
 */
export function createAbortWatch(): AbortWatch {
  const watched = new WeakMap<AbortSignal, (() => void)[]>();

  const watch = (signal: AbortSignal): (() => void)[] => {
    const callbacks: (() => void)[] = [];
    // Each callback takes itself out of the list.
    signal.addEventListener("abort", () => callbacks.slice().forEach((callback) => callback()), { once: true });
    watched.set(signal, callbacks);
    return callbacks;
  };

  return {
    add(signal, callback) {
      const callbacks = watched.get(signal) ?? watch(signal);
      callbacks.push(callback);
      return () => {
        const last = callbacks.pop();
        if (last === undefined || last === callback) return;
        const index = callbacks.indexOf(callback);
        if (index === -1) callbacks.push(last);
        else callbacks[index] = last;
      };
    },
  };
}
