/**
 * A regular expression with Unicode properties (`\p{L}`), compiled at its first use. A literal is parsed with the code
 * around it, which takes up to a millisecond for each that names such properties, and a run needs few of them.
 */
export function unicodePattern(source: string, flags = "u"): () => RegExp {
  let pattern: RegExp | null = null;
  return () => (pattern ??= new RegExp(source, flags));
}
