/** Whether a finding is one of the strings that may occur. Case and the separators of numbers do not count. */
export function isAllowed(text: string, allow: readonly string[]): boolean {
  return allow.some((entry) => fitsWildcards(fold(text), fold(entry)));
}

/** An address keeps its marks, which tell it from others; in a number they are a matter of taste. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  return lower.includes("@") ? lower : lower.replaceAll(/[\s().\-\u2010-\u2013\u2212/]/g, "");
}

/** `*` stands for any run of characters. The pieces between are found from the left, which takes linear time. */
function fitsWildcards(text: string, pattern: string): boolean {
  const pieces = pattern.split("*");
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return text === pattern;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
