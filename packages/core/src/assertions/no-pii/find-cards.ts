import { dashClass, digitsOf, spaceClass, standsAlone, type PiiFinding } from "./pii-finding.js";

const separator = `([${spaceClass}${dashClass}.\u00b7])`;
/** Printed in fours with one separator, as 4-6-5 (American Express) or 4-6-4 (Diners Club), or without any. */
const layouts = [
  new RegExp(`\\d{4}${separator}\\d{4}\\1\\d{4}\\1\\d{4}(?:\\1\\d{3})?(?!\\1\\d)`, "g"),
  new RegExp(`\\d{4}${separator}\\d{6}\\1\\d{4,5}(?!\\1\\d)`, "g"),
  /\d{14,19}/g,
];

/**
 * The ranges that issuers use, with the lengths in use today (ISO/IEC 7812; the 13 digits of early Visa cards are left
 * out, because they are the length of a bar code). A number outside of them is an id, however well it checks.
 */
const issued = [
  /^4\d{15}$/,
  /^(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^(?:6011|65\d\d|64[4-9]\d)\d{12}$/,
  /^35(?:2[89]|[3-8]\d)\d{12}$/,
  /^3(?:0[0-5]|[68]\d)\d{11}$/,
  /^62(?:\d{14}|\d{17})$/,
  /^(?:50|5[6-9]|6\d)\d{10}(?:\d{4}|\d{7})$/,
];

/** Payment card numbers: in an issued range and with a right check digit. */
export function findCards(text: string): PiiFinding[] {
  return layouts.flatMap((layout) =>
    [...text.matchAll(layout)]
      .filter((match) => isCard(digitsOf(match[0])) && standsAlone(text, match.index, match[0].length))
      .map((match) => ({ kind: "card", text: match[0], index: match.index })),
  );
}

function isCard(digits: string): boolean {
  return issued.some((range) => range.test(digits)) && !/^(\d)\1+$/.test(digits) && passesLuhn(digits);
}

/** The Luhn formula (ISO/IEC 7812-1, annex B). */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
