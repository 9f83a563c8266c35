/** Calls of the observers of one plugin, one after the other, while the run continues. */
export interface ObserverQueue {
  /** The task never rejects. */
  add(task: () => Promise<void>): void;
  /** Resolves when nothing is left to do. */
  idle(): Promise<void>;
  /** Takes and starts nothing more; returns how many had not ended, those that found no room included. */
  close(): number;
}

/** More that wait would take the memory of the run. */
const mostWaiting = 10_000;

export function createObserverQueue(limit = mostWaiting): ObserverQueue {
  let waiting: (() => Promise<void>)[] = [];
  /** The first that has not ended. */
  let head = 0;
  let pumping: Promise<void> | null = null;
  let refused = 0;
  let isClosed = false;

  const pump = async (): Promise<void> => {
    for (let task = waiting[head]; task !== undefined && !isClosed; task = waiting[head]) {
      await task();
      head += 1;
      if (head < 1_000) continue;
      waiting = waiting.slice(head);
      head = 0;
    }
    pumping = null;
  };

  return {
    add(task) {
      if (isClosed) return;
      if (waiting.length - head >= limit) {
        refused += 1;
        return;
      }
      waiting.push(task);
      // The trial that it comes from goes on first.
      pumping ??= Promise.resolve().then(pump);
    },
    async idle() {
      while (pumping !== null) {
        // Until nothing came in meanwhile.
        await pumping;
      }
    },
    close() {
      isClosed = true;
      return waiting.length - head + refused;
    },
  };
}
