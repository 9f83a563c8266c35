/**
 * The most expected entries that can be found in order among those made, as pairs of indexes with gaps allowed on both
 * sides: a longest common subsequence, by dynamic programming in O(expected × made).
 */
export function longestInOrder<Expected, Made>(
  expected: readonly Expected[],
  made: readonly Made[],
  fits: (expected: Expected, made: Made) => boolean,
): readonly (number | null)[] {
  const width = made.length + 1;
  const fitting = expected.map((entry) => made.map((candidate) => fits(entry, candidate)));
  const longest = new Uint32Array((expected.length + 1) * width);
  const at = (left: number, right: number): number => longest[left * width + right] ?? 0;
  for (let left = expected.length - 1; left >= 0; left -= 1) {
    for (let right = made.length - 1; right >= 0; right -= 1) {
      const skipped = Math.max(at(left + 1, right), at(left, right + 1));
      longest[left * width + right] = fitting[left]?.[right] ? Math.max(skipped, 1 + at(left + 1, right + 1)) : skipped;
    }
  }
  const partners: (number | null)[] = expected.map(() => null);
  for (let left = 0, right = 0; left < expected.length && right < made.length;) {
    if (fitting[left]?.[right] && at(left, right) === 1 + at(left + 1, right + 1)) {
      partners[left] = right;
      left += 1;
      right += 1;
    } else if (at(left + 1, right) >= at(left, right + 1)) left += 1;
    else right += 1;
  }
  return partners;
}
