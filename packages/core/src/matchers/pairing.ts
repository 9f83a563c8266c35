/**
 * A maximum matching of a bipartite graph: for each left index the right index it is paired with, or null. No other
 * pairing has more pairs. Found by augmenting paths (Berge 1957), in O(left × edges); `fits` is asked at most once per
 * pair.
 */
export function maximumPairing<Left, Right>(
  left: readonly Left[],
  right: readonly Right[],
  fits: (left: Left, right: Right) => boolean,
): readonly (number | null)[] {
  const partnerOfLeft: (number | null)[] = left.map(() => null);
  const partnerOfRight: (number | null)[] = right.map(() => null);
  const edges = createEdges(left, right, fits);
  for (let start = 0; start < left.length; start += 1) augment(start, partnerOfLeft, partnerOfRight, edges);
  return partnerOfLeft;
}

/** Breadth first rather than recursive, so that a long alternating path can not exhaust the stack. */
function augment(
  start: number,
  partnerOfLeft: (number | null)[],
  partnerOfRight: (number | null)[],
  edges: (left: number, right: number) => boolean,
): void {
  const reachedFrom = new Map<number, number>();
  const queue = [start];
  for (let current = queue.shift(); current !== undefined; current = queue.shift()) {
    for (let right = 0; right < partnerOfRight.length; right += 1) {
      if (reachedFrom.has(right) || !edges(current, right)) continue;
      reachedFrom.set(right, current);
      const owner = partnerOfRight[right] ?? null;
      if (owner !== null) {
        queue.push(owner);
        continue;
      }
      flip(right, reachedFrom, partnerOfLeft, partnerOfRight);
      return;
    }
  }
}

/** Walks the alternating path back to its start and makes each of its free edges a pair. */
function flip(
  end: number,
  reachedFrom: ReadonlyMap<number, number>,
  partnerOfLeft: (number | null)[],
  partnerOfRight: (number | null)[],
): void {
  let right: number | null = end;
  while (right !== null) {
    const left: number | undefined = reachedFrom.get(right);
    if (left === undefined) return;
    const before: number | null = partnerOfLeft[left] ?? null;
    partnerOfLeft[left] = right;
    partnerOfRight[right] = left;
    right = before;
  }
}

/** Whether an edge exists; the edges of a left entry are found when one of them is first asked for. */
function createEdges<Left, Right>(
  left: readonly Left[],
  right: readonly Right[],
  fits: (left: Left, right: Right) => boolean,
): (leftIndex: number, rightIndex: number) => boolean {
  const rows = left.map((entry) => {
    let row: readonly boolean[] | null = null;
    return () => (row ??= right.map((candidate) => fits(entry, candidate)));
  });
  return (leftIndex, rightIndex) => rows[leftIndex]?.()[rightIndex] === true;
}
