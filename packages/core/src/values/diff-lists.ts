/** One entry of two aligned lists. */
export interface DiffEntry {
  side: "both" | "before" | "after";
  text: string;
}

/** Longer lists are not aligned entry by entry: only their common ends are set aside. */
const mostPairs = 1_000_000;

/** Aligns two lists so that as many entries as possible are on both sides. */
export function diffLists(before: readonly string[], after: readonly string[]): DiffEntry[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const mostEnd = Math.min(before.length, after.length) - start;
  while (end < mostEnd && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const one = before.slice(start, before.length - end);
  const other = after.slice(start, after.length - end);
  const both = (texts: readonly string[]): DiffEntry[] => texts.map((text) => ({ side: "both", text }));
  return [
    ...both(before.slice(0, start)),
    ...(one.length * other.length > mostPairs ? replaced(one, other) : aligned(one, other)),
    ...both(before.slice(before.length - end)),
  ];
}

function replaced(before: readonly string[], after: readonly string[]): DiffEntry[] {
  return [
    ...before.map((text): DiffEntry => ({ side: "before", text })),
    ...after.map((text): DiffEntry => ({ side: "after", text })),
  ];
}

/** By the table of the longest common subsequences of what is left of both lists. */
function aligned(before: readonly string[], after: readonly string[]): DiffEntry[] {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const entries: DiffEntry[] = [];
  let [row, column] = [0, 0];
  for (;;) {
    const [one, other] = [before[row], after[column]];
    if (one === undefined && other === undefined) return entries;
    if (one !== undefined && one === other) {
      entries.push({ side: "both", text: one });
      row += 1;
      column += 1;
    } else if (one !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      entries.push({ side: "before", text: one });
      row += 1;
    } else {
      entries.push({ side: "after", text: other ?? "" });
      column += 1;
    }
  }
}
