/** The lower bound of the 99% Wilson interval of a share. */
export function lowerBound(seen: number, of: number): number {
  const [z, share] = [2.5758293035489004, seen / of];
  const width = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return (share + z ** 2 / (2 * of) - width) / (1 + z ** 2 / of);
}
