import { dashClass, digitsOf, spaceClass, standsAlone, type PiiFinding } from "./pii-finding.js";

const dashed = new RegExp(`\\d{3}([${dashClass}])\\d{2}\\1\\d{4}`, "g");
/** Spaces or nothing between the groups are common in other numbers too, so the name must stand before them. */
const named = new RegExp(
  `\\b(?:ssn|social security(?: number| no\\.?)?)[\\s:=#]{0,3}(?:is |number |no\\.? )?(\\d{3}[${spaceClass}]?\\d{2}[${spaceClass}]?\\d{4})`,
  "gi",
);

/** US social security numbers in areas that can be issued: not 000, 666 or 900 to 999, no group of zeros (SSA rules). */
export function findSsns(text: string): PiiFinding[] {
  const found = [...text.matchAll(dashed)].map((match) => ({ text: match[0], index: match.index }));
  for (const match of text.matchAll(named)) {
    const number = match[1] ?? "";
    found.push({ text: number, index: match.index + match[0].length - number.length });
  }
  return found
    .filter(({ text: number, index }) => isIssued(digitsOf(number)) && standsAlone(text, index, number.length))
    .map((place) => ({ kind: "ssn", ...place }));
}

function isIssued(digits: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits);
}
