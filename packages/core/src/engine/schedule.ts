/**
 * Runs tasks with at most `concurrency` at a time, taking the next one from the source only when there is room for it,
 * so that a run of any length holds few tasks in memory. Ends when the source is empty and every task has settled.
 * Tasks must not reject.
 */
export async function schedule(tasks: Iterable<() => Promise<void>>, concurrency: number): Promise<void> {
  const source = tasks[Symbol.iterator]();
  const work = async (): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- the source must not be read ahead
    for (let next = source.next(); next.done !== true; next = source.next()) await next.value();
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
