/** The words of a string, for sets of names that are too long to write as lists. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).filter((word) => word !== ""));
}
