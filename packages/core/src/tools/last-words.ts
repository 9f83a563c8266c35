const maxCharacters = 1_000;

/** The end of what a program wrote, where the reason of a failure stands. */
export function lastWords(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > maxCharacters ? `…${trimmed.slice(-maxCharacters)}` : trimmed;
}
