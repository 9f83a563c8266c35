/** Everything that JSON is made of. Strings come first, so that nothing inside of one is taken for something else. */
const token =
  // eslint-disable-next-line no-control-regex -- JSON allows none of them in a string
  /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[\s{}[\],:]+|true|false|null/y;

/**
 * Masks the strings and numbers of JSON, so that it is JSON still.
 *
 * @param text - JSON, or whole lines of it; anything else is masked as the text that it is
 * @param maskNumber - what replaces a number, or null to keep it
 */
export function redactJsonTokens(
  text: string,
  maskText: (text: string) => string,
  maskNumber: (number: string) => string | null,
): string {
  const pieces: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const piece = token.exec(text)?.[0];
    if (piece === undefined) return maskText(text);
    pieces.push(maskToken(piece, maskText, maskNumber));
  }
  return pieces.join("");
}

function maskToken(
  piece: string,
  maskText: (text: string) => string,
  maskNumber: (number: string) => string | null,
): string {
  if (piece.startsWith('"')) {
    const said: unknown = JSON.parse(piece);
    const masked = maskText(String(said));
    return masked === said ? piece : JSON.stringify(masked);
  }
  if (!/^[-\d]/.test(piece)) return piece;
  const masked = maskNumber(piece);
  return masked === null ? piece : JSON.stringify(masked);
}
