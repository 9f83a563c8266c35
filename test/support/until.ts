import { setTimeout } from "node:timers/promises";

const lookEveryMs = 5;

/**
 * Resolves when the condition holds. For what another process does to files, of which no event arrives here. Looks every
 * few milliseconds: a loop without a pause would take the core that the other process needs.
 */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(lookEveryMs);
}
