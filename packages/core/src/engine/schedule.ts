import pLimit from "p-limit";

/**
 * Runs tasks with at most `concurrency` at a time, taking the next one from the source only when there is room for it,
 * so that a run of any length holds few tasks in memory. Ends when the source is empty and every task has settled.
 * Tasks must not reject.
 */
export async function schedule(tasks: Iterable<() => Promise<void>>, concurrency: number): Promise<void> {
  const limit = pLimit(concurrency);
  let wake: (() => void) | null = null;
  let open = 0;
  const room = (atMost: number): Promise<void> | null =>
    open <= atMost
      ? null
      : new Promise((resolve) => {
          wake = resolve;
        });
  const settled = (): void => {
    open -= 1;
    wake?.();
  };
  for (const task of tasks) {
    open += 1;
    void limit(task).then(settled);
    // oxlint-disable-next-line no-await-in-loop -- the source must not be read ahead
    while (open >= concurrency) await room(concurrency - 1);
  }
  // oxlint-disable-next-line no-await-in-loop -- each settled task may have been the last
  while (open > 0) await room(0);
}
