import { setTimeout } from "node:timers/promises";

const lookEveryMs = 5;

/** What has not come by then will not come, even on a busy machine: to wait longer would only hold up the other tests. */
const patienceMs = 15_000;

/**
 * Resolves when the condition holds. For what another process does to files, of which no event arrives here. Looks every
 * few milliseconds: a loop without a pause would take the core that the other process needs.
 */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`Not so after ${patienceMs / 1_000} s: ${String(holds)}`);
    await setTimeout(lookEveryMs);
  }
}
