/** As a POSIX shell needs it; plain names stay plain. */
export function quoteArgument(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
