/** East Asian wide characters and emoji take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const combining = /\p{Mark}/u;

/** The number of columns of a string without control characters. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The text cut to so many columns, the last of them an ellipsis when something is left out. */
export function fitWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let fitting = "";
  for (const character of text) {
    width += columnsOf(character);
    if (width > columns - 1) break;
    fitting += character;
  }
  return columns <= 0 ? "" : `${fitting}…`;
}

function columnsOf(character: string): number {
  if (combining.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
