import { withoutCommands, writtenOut } from "./ci-commands.js";

/**
 * Control characters (C0, DEL, C1), bidirectional overrides and isolates, zero-width characters, line separators and
 * lone surrogates: what untrusted text could use to move the cursor, recolour, reorder or hide.
 */
const hidden =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Untrusted text with everything hidden written out, such as `\u001b`, and the marks of commands to CI systems likewise.
 * Tabs and line feeds stay.
 */
export function visible(text: string): string {
  return withoutCommands(text.replaceAll(hidden, writtenOut));
}

/** As {@link visible}, on one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
