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
  const pairing = createPairing(right.length, createEdges(left, right, fits));
  for (let count = 0; count < left.length; count += 1) pairing.add();
  return pairing.partners;
}

/** A maximum matching that grows by one left index at a time. */
export interface Pairing {
  /** For each left index so far, the right index it is paired with, or null. */
  readonly partners: readonly (number | null)[];
  /** Adds the next left index. Returns whether there is one pair more; if not, no later index will change that. */
  add(): boolean;
}

export function createPairing(rightLength: number, edges: (left: number, right: number) => boolean): Pairing {
  const partnerOfLeft: (number | null)[] = [];
  const partnerOfRight: (number | null)[] = Array.from({ length: rightLength }, () => null);
  return {
    partners: partnerOfLeft,
    add: () => augment(partnerOfLeft.push(null) - 1, partnerOfLeft, partnerOfRight, edges),
  };
}

/** Breadth first rather than recursive, so that a long alternating path cannot exhaust the stack. */
function augment(
  start: number,
  partnerOfLeft: (number | null)[],
  partnerOfRight: (number | null)[],
  edges: (left: number, right: number) => boolean,
): boolean {
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
      return true;
    }
  }
  return false;
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
