/**
 * Finds the number of a case by its id, and keeps eight to sixteen bytes per case instead of the id. `idAt` gives the id
 * of a number; the ids are those of the numbers below `count`, each once.
 */
export function createIdTable(
  ids: Iterable<string>,
  count: number,
  idAt: (index: number) => string | undefined,
): (id: string) => number | null {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(count * 2 + 1)));
  const mask = slots.length - 1;
  let index = 0;
  for (const id of ids) {
    let slot = hashOf(id) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = index + 1;
    index += 1;
  }
  let next = 0;
  return (id) => {
    // Mostly they are asked for in their order.
    if (next < count && idAt(next) === id) return next++;
    for (let slot = hashOf(id) & mask; (slots[slot] ?? 0) !== 0; slot = (slot + 1) & mask) {
      const found = (slots[slot] ?? 0) - 1;
      if (idAt(found) !== id) continue;
      next = found + 1;
      return found;
    }
    return null;
  };
}

/** FNV-1a, mixed so that ids that differ in their last letter alone lie apart. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
