import type { SafeRegex } from "../../matchers/safe-regex.js";
import { findCards } from "./find-cards.js";
import { findEmails } from "./find-emails.js";
import { findIbans } from "./find-ibans.js";
import { findPhones } from "./find-phones.js";
import { findSsns } from "./find-ssns.js";
import type { PiiFinding } from "./pii-finding.js";

export const piiKinds = ["ssn", "card", "email", "phone", "iban"] as const;
export type PiiKind = (typeof piiKinds)[number];

/** The more certain ones first: where two overlap, the first one names the finding. */
const finders: readonly { kind: PiiKind; find(text: string): PiiFinding[] }[] = [
  { kind: "iban", find: findIbans },
  { kind: "card", find: findCards },
  { kind: "ssn", find: findSsns },
  { kind: "email", find: findEmails },
  { kind: "phone", find: findPhones },
];

export interface PiiPattern {
  name: string;
  regex: SafeRegex;
}

/** More findings than these say nothing new. */
const mostPerPattern = 100;

/** What looks like personal data in a text, in its order, without overlaps. */
export function findPii(text: string, kinds: ReadonlySet<PiiKind>, patterns: readonly PiiPattern[]): PiiFinding[] {
  const all: PiiFinding[] = patterns.flatMap(({ name, regex }) =>
    regex
      .allMatches(text, mostPerPattern)
      .filter((match) => match.text !== "")
      .map((match) => ({ kind: name, text: match.text, index: match.index })),
  );
  const hasDigits = /\d/.test(text);
  for (const { kind, find } of finders) {
    if (kinds.has(kind) && (hasDigits || kind === "email")) all.push(...find(text));
  }
  return withoutOverlaps(all);
}

function withoutOverlaps(all: readonly PiiFinding[]): PiiFinding[] {
  const kept: PiiFinding[] = [];
  for (const finding of all) {
    const overlaps = kept.some(
      (other) => finding.index < other.index + other.text.length && other.index < finding.index + finding.text.length,
    );
    if (!overlaps) kept.push(finding);
  }
  return kept.toSorted((a, b) => a.index - b.index);
}
