/** Longer names are cut in the middle, since the ends of generated names differ. */
const mostShown = 160;
const shownEnd = 60;

/** The name, or its two ends if it is long. A character is never cut in two. */
export function cutName(line: string): string {
  if (line.length <= mostShown) return line;
  const start = line.slice(0, mostShown - shownEnd).replace(/[\ud800-\udbff]$/, "");
  const end = line.slice(-shownEnd).replace(/^[\udc00-\udfff]/, "");
  return `${start}…${end}`;
}
