/** The loop below on an idle core of the reference machine, in milliseconds: the one that targets and budgets are set for. */
export const referenceMs = 30;

/**
 * A shorter loop would not notice other load, since the kernel lets a thread that has just woken up go on for a few
 * milliseconds.
 */
const rounds = 2_400_000;

/** How long a fixed piece of work takes now, in milliseconds. */
export function calibrate() {
  const from = performance.now();
  const counts = new Map();
  for (let round = 0; round < rounds; round += 1) {
    const key = (round * 7_919) % 997;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return performance.now() - from;
}
