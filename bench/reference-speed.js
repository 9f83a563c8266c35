/** The loop below on an idle core of the reference machine, in milliseconds: the one that targets and budgets are set for. */
export const referenceMs = 12;

/**
 * A shorter loop would not notice other load, since the kernel lets a thread that has just woken up go on for a few
 * milliseconds.
 */
const rounds = 40_000;

/**
 * How long a fixed piece of work takes now, in milliseconds. It is what KindLM and its tests mostly do: texts, maps and small
 * objects. A loop of numbers alone would say more about the C library than about that.
 */
export function calibrate() {
  const from = performance.now();
  const seen = new Map();
  let written = 0;
  for (let round = 0; round < rounds; round += 1) {
    const name = `case-${(round * 31) % 997}`;
    const before = seen.get(name) ?? { name, count: 0 };
    seen.set(name, { ...before, count: before.count + 1 });
    if (round % 100 === 0) written += JSON.stringify(before).length;
  }
  return written === 0 ? 0 : performance.now() - from;
}
