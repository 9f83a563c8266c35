import type { SafeRegex } from "../../matchers/safe-regex.js";
import { shownForms } from "../text/shown-forms.js";
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

/** Finds strings that look like personal data, in their order, without overlaps. */
export function findPii(text: string, kinds: ReadonlySet<PiiKind>, patterns: readonly PiiPattern[]): PiiFinding[] {
  return withoutOverlaps(findAll(text, kinds, patterns));
}

/** A finding in an answer. `text` is the piece of the answer; `shown` is what a reader sees there. */
export interface AnswerFinding extends PiiFinding {
  shown: string;
}

/** As {@link findPii}, also in the forms of an answer that hide it: no piece of the answer is named twice. */
export function findPiiInAnswer(
  answer: string,
  kinds: ReadonlySet<PiiKind>,
  patterns: readonly PiiPattern[],
): AnswerFinding[] {
  const written = findPii(answer, kinds, patterns).map((finding) => ({ ...finding, shown: finding.text }));
  const hidden = shownForms(answer, {}).flatMap((form) => {
    if (form.text === answer) return [];
    return findAll(form.text, kinds, patterns).map(({ kind, text, index }): AnswerFinding => {
      const place = form.placeOf(index, index + text.length);
      return { kind, shown: text, text: answer.slice(place.index, place.index + place.length), index: place.index };
    });
  });
  return withoutOverlaps([...written, ...hidden]);
}

function findAll(text: string, kinds: ReadonlySet<PiiKind>, patterns: readonly PiiPattern[]): PiiFinding[] {
  const all: PiiFinding[] = patterns.flatMap(({ name, regex }) =>
    regex
      .allMatches(text, mostPerPattern)
      .filter((match) => match.text !== "")
      .map((match) => ({ kind: name, text: match.text, index: match.index })),
  );
  const hasDigits = /\d/.test(text);
  for (const { kind, find } of finders) {
    if (kinds.has(kind) && (hasDigits || kind === "email")) for (const found of find(text)) all.push(found);
  }
  return all;
}

/** Keeps the earlier ones of the list. Takes time in proportion to what they cover. */
function withoutOverlaps<Finding extends PiiFinding>(all: readonly Finding[]): Finding[] {
  const end = all.reduce((most, { index, text }) => Math.max(most, index + text.length), 0);
  const covered = new Uint8Array(end);
  const kept = all.filter(({ index, text }) => {
    const isFree = !covered.subarray(index, index + text.length).includes(1);
    if (isFree) covered.fill(1, index, index + text.length);
    return isFree;
  });
  return kept.toSorted((a, b) => a.index - b.index);
}
