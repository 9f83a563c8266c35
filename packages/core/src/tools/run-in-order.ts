/** Runs the calls of one turn: neighbors without effect side by side, all others one after the other. */
export async function runInOrder<Call, Finished>(
  calls: readonly Call[],
  mayRunInParallel: (call: Call) => boolean,
  run: (call: Call) => Promise<Finished>,
): Promise<readonly Finished[]> {
  const finished: Finished[] = [];
  for (let start = 0; start < calls.length;) {
    const isParallel = (index: number): boolean => calls.slice(index, index + 1).some(mayRunInParallel);
    let end = start + 1;
    if (isParallel(start)) while (isParallel(end)) end += 1;
    // Effects must happen in the order the agent asked for.
    finished.push(...(await Promise.all(calls.slice(start, end).map(run))));
    start = end;
  }
  return finished;
}
