import { withoutCommands, writtenOut } from "./ci-commands.js";
import { unicodePattern } from "./unicode-pattern.js";

/** Most text, which hides nothing. */
const plain = /^[\t\n -~]*$/;
/** Those that have a sign, besides tabs and line feeds. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * What untrusted text could use to move the cursor, recolor, reorder or hide: control characters, lone surrogates, line
 * separators, and whatever has no glyph, such as bidirectional overrides, zero-width characters, and tags. What is part
 * of a visible character is none of it: the joiner between two emoji, the tags of a flag, and a variation selector.
 */
const hidden = unicodePattern(
  [
    String.raw`(?![\t\n])`,
    String.raw`(?!(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?)\u200d\p{Extended_Pictographic})`,
    String.raw`(?!(?<=\u{1f3f4}[\u{e0030}-\u{e007a}]{0,6})[\u{e0030}-\u{e007f}])`,
    String.raw`(?!(?<=[\p{L}\p{N}\p{P}\p{S}])\p{Variation_Selector})`,
    String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
  ].join(""),
  "gu",
);

/**
 * Untrusted text with everything hidden shown: control characters by their signs, such as `␛`, the rest written out, such
 * as `\u202e`, and the marks of commands to CI systems likewise. Tabs and line feeds stay.
 */
export function visible(text: string): string {
  return withoutCommands(withoutHidden(withSigns(text), writtenOut));
}

/** As {@link visible}, on one line. */
export function visibleLine(text: string): string {
  return onOneLine(visible(text));
}

/** Text with its tabs and line feeds written out. */
export function onOneLine(text: string): string {
  return text.replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** The text with its control characters by their signs, such as `␛` and `␡`; tabs and line feeds stay. */
export function withSigns(text: string): string {
  if (plain.test(text)) return text;
  return text.replaceAll(controls, (control) =>
    String.fromCodePoint(control === "\u007f" ? 0x24_21 : 0x24_00 + control.charCodeAt(0)),
  );
}

/** Text with each hidden character as `write` has it. */
export function withoutHidden(text: string, write: (character: string) => string): string {
  return plain.test(text) ? text : text.replaceAll(hidden(), write);
}
