/**
 * Runs tasks with at most `concurrency` at a time, taking the next one from the source only when there is room for it,
 * so that a run of any length holds few tasks in memory. Where the source gives null, it has none before one that is
 * under way has ended, and is asked again then. Ends when the source is empty and every task has settled. Tasks must not
 * reject.
 */
export async function schedule(tasks: Iterable<(() => Promise<void>) | null>, concurrency: number): Promise<void> {
  const source = tasks[Symbol.iterator]();
  let waiting: (() => void)[] = [];
  const anEnd = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
    });
  const work = async (): Promise<void> => {
    for (let next = source.next(); next.done !== true; next = source.next()) {
      if (next.value === null) {
        // The source must not be read ahead.
        await anEnd();
        continue;
      }
      // The source must not be read ahead.
      await next.value();
      if (waiting.length === 0) continue;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
