import { unicodePattern } from "../../values/unicode-pattern.js";

/** A string that looks like personal data. */
export interface PiiFinding {
  /** What it is: a kind, or the name of a pattern. */
  kind: string;
  text: string;
  /** In UTF-16 code units. */
  index: number;
}

/** Space and no-break spaces, as they stand within numbers. */
export const spaceClass = " \\u00a0\\u202f";
/** The hyphens and dashes that people and models put within numbers. */
export const dashClass = "\\-\\u2010-\\u2013\\u2212";

/** The letter of an escape such as \\n in JSON text touches nothing. */
const touchesBefore = unicodePattern(`(?:(?<!\\\\)[\\p{L}\\p{N}_#/$€£¥+@]|[\\p{L}\\p{N}][.,${dashClass}])$`);
const touchesAfter = unicodePattern(`^(?:[\\p{L}\\p{N}_@%]|[.,/:${dashClass}][\\p{L}\\p{N}])`);

/**
 * True if a number is separate: it is not part of an identifier such as `ORD-123-45-6789`, of a path, a price,
 * a decimal number or a UUID.
 */
export function standsAlone(text: string, index: number, length: number): boolean {
  const before = text.slice(Math.max(0, index - 3), index);
  const after = text.slice(index + length, index + length + 3);
  return !touchesBefore().test(before) && !touchesAfter().test(after);
}

export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, "");
}
