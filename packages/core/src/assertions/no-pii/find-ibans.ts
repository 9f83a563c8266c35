import { dashClass, spaceClass, standsAlone, type PiiFinding } from "./pii-finding.js";

/** Lengths by country, from the IBAN registry of SWIFT. */
const lengths = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 " +
    "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 " +
    "LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 " +
    "PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const start = /(?:[A-Z]{2}|[a-z]{2})\d{2}/g;
const between = new RegExp(`[${spaceClass}${dashClass}.\u00b7]`, "u");

/** International bank account numbers of a known country and length, with a right checksum. */
export function findIbans(text: string): PiiFinding[] {
  const found: PiiFinding[] = [];
  for (const match of text.matchAll(start)) {
    const length = lengths.get(match[0].slice(0, 2).toUpperCase());
    if (length === undefined) continue;
    const end = endOf(text, match.index, length);
    if (end === null || !standsAlone(text, match.index, end - match.index)) continue;
    const written = text.slice(match.index, end);
    if (passesMod97(written.replaceAll(/[^A-Za-z0-9]/g, "").toUpperCase())) {
      found.push({ kind: "iban", text: written, index: match.index });
    }
  }
  return found;
}

/** Where a number of `length` letters and digits ends that may be written in groups; null when it is shorter. */
function endOf(text: string, from: number, length: number): number | null {
  let count = 0;
  let afterSeparator = false;
  for (let index = from; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (/[A-Za-z0-9]/.test(character)) {
      count += 1;
      afterSeparator = false;
      if (count === length) return index + 1;
    } else if (between.test(character) && !afterSeparator) {
      afterSeparator = true;
    } else {
      return null;
    }
  }
  return null;
}

/** ISO 7064 MOD 97-10 over the number with its first four characters moved to the end, letters as 10 to 35. */
export function passesMod97(iban: string): boolean {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
