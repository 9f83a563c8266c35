/** How many elements two sequences have in common at their start and, apart from those, at their end. */
export interface CommonEnds {
  prefix: number;
  suffix: number;
}

export function commonEnds(
  first: number,
  second: number,
  isSame: (atFirst: number, atSecond: number) => boolean,
): CommonEnds {
  const shorter = Math.min(first, second);
  let prefix = 0;
  while (prefix < shorter && isSame(prefix, prefix)) prefix += 1;
  let suffix = 0;
  while (suffix < shorter - prefix && isSame(first - 1 - suffix, second - 1 - suffix)) suffix += 1;
  return { prefix, suffix };
}
