import { dashClass, digitsOf, spaceClass, standsAlone, type PiiFinding } from "./pii-finding.js";

const space = `[${spaceClass}]`;
const dash = `[${dashClass}]`;
const anySeparator = `[${spaceClass}${dashClass}.]`;

interface PhoneForm {
  pattern: RegExp;
  /** Group of the number, where the pattern starts with words. */
  group?: number;
  accepts?(written: string): boolean;
}

/**
 * The ways to write a phone number that hardly anything else shares. A bare run of digits is an id or a timestamp, so it
 * counts only behind words such as "phone:".
 */
const forms: readonly PhoneForm[] = [
  // +49 30 1234567, +1 (415) 555-2671, +442079460958
  {
    pattern: new RegExp(`\\+[1-9]\\d{0,3}(?:[${spaceClass}${dashClass}./]?\\(?\\d{1,14}\\)?){1,6}`, "gu"),
    accepts: isInternational,
  },
  // (415) 555-2671
  { pattern: new RegExp(`(?:1${anySeparator})?\\([2-9]\\d{2}\\)${anySeparator}?\\d{3}${anySeparator}\\d{4}`, "gu") },
  // 415-555-2671, 415.555.2671, 1-415-555-2671
  { pattern: new RegExp(`(?:1(${anySeparator}))?[2-9]\\d{2}(${anySeparator})\\d{3}\\2\\d{4}(?!\\2\\d)`, "gu") },
  // 01 23 45 67 89
  { pattern: new RegExp(`0[1-9](${anySeparator})\\d{2}(?:\\1\\d{2}){3}(?!\\1\\d)`, "gu") },
  // 020 7946 0958, 0171 1234567, 030/1234567, (030) 1234567
  {
    pattern: new RegExp(`\\(?0[1-9]\\d{0,4}\\)?(?:${space}|/)\\d{3,8}(?:${space}\\d{2,6}){0,3}`, "gu"),
    accepts: isNational,
  },
  // 0171-1234567
  { pattern: new RegExp(`0[1-9]\\d{1,3}${dash}\\d{5,8}`, "gu"), accepts: isNational },
  {
    pattern: new RegExp(
      "\\b(?:tele)?(?:phone|fon)s?(?: (?:number|no\\.?))?(?: is| at)?[:=\\s]{0,3}" + bareNumber(),
      "giu",
    ),
    group: 1,
    accepts: hasPhoneLength,
  },
  {
    pattern: new RegExp(
      "\\b(?:tel\\.?|mobile|cell|fax|whatsapp|sms|handy|(?:call|text|ring|reach) (?:me|us|him|her|them)(?: at| on)?)(?: (?:number|no\\.?))?(?: is| at)?[:=\\s]{0,3}" +
        bareNumber(),
      "giu",
    ),
    group: 1,
    accepts: hasPhoneLength,
  },
];

/** Phone numbers: international (E.164), North American, and national ones with a leading zero. */
export function findPhones(text: string): PiiFinding[] {
  return forms.flatMap(({ pattern, group = 0, accepts }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const written = (match[group] ?? "").replace(/[\s(]+$/u, "");
      const index = match.index + (group === 0 ? 0 : match[0].length - (match[group] ?? "").length);
      const fits = (accepts?.(written) ?? true) && standsAlone(text, index, written.length);
      return fits && !continues(text, index + written.length) ? [{ kind: "phone", text: written, index }] : [];
    }),
  );
}

function bareNumber(): string {
  return `(\\(?\\d{2,15}\\)?(?:${anySeparator}\\d{2,8}){0,4})`;
}

/** A currency or unit of quantity behind the number makes it an amount. */
function continues(text: string, end: number): boolean {
  return /^\s?(?:%|€|£|¥|(?:EUR|USD|GBP|CHF|JPY|units?|items?|bytes?|ms|km|kg)\b)/u.test(text.slice(end, end + 8));
}

function isInternational(written: string): boolean {
  const digits = digitsOf(written);
  if (digits.length < 8 || digits.length > 15) return false;
  if (digits.startsWith("1") && digits.length !== 11) return false;
  // +52.520008 is a coordinate, +12.345.678 and +12 345 678 are amounts.
  if (/^\+\d+\.\d+$/.test(written)) return false;
  return !(digits.length < 9 && /^\+\d{1,3}(?:[^\d]\d{3})+$/.test(written));
}

function isNational(written: string): boolean {
  const digits = digitsOf(written);
  return digits.length >= 9 && digits.length <= 12;
}

function hasPhoneLength(written: string): boolean {
  const digits = digitsOf(written);
  return digits.length >= 7 && digits.length <= 15;
}
