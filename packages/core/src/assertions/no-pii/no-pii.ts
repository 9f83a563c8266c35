import type { PiiFinding } from "./pii-finding.js";
import { unicodePattern } from "../../values/unicode-pattern.js";
import * as z from "../../values/deferred-zod.js";
import { compileRegex } from "../../matchers/safe-regex.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineTextCheck } from "../text/read-output.js";
import { findPii, findPiiInAnswer, piiKinds, type AnswerFinding, type PiiPattern } from "./find-pii.js";

const patternSchema = strictObject({
  name: z.string().min(1).describe("What it is called in messages, such as customer number."),
  value: z.string().min(1).describe("A JavaScript regular expression."),
  flags: z.string().optional().describe("Flags of the regular expression, such as i."),
}).transform(({ name, value, flags = "" }, context): PiiPattern => {
  const regex = compileRegex(value, flags);
  if (regex.success) return { name, regex: regex.data };
  context.addIssue({ code: "custom", path: ["value"], message: regex.error });
  return z.NEVER;
});

export const noPii = defineTextCheck({
  type: "no_pii",
  summary:
    "The final answer holds no social security number, card number, e-mail address, phone number, IBAN or custom pattern.",
  example: '{ type: no_pii, allow: ["support@example.com"] }',
  options: strictObject({
    kinds: z
      .array(z.enum(piiKinds))
      .default([...piiKinds])
      .describe("What to look for. Default all: ssn, card, email, phone, iban."),
    patterns: z.array(patternSchema).default([]).describe("Further patterns that must not occur."),
    allow: z
      .array(z.string().min(1))
      .default([])
      .describe("Strings that may occur, such as your support address; * stands for anything, as in *@example.com."),
  }).refine(({ kinds, patterns }) => kinds.length > 0 || patterns.length > 0, {
    path: ["kinds"],
    error: "Without kinds and patterns, nothing is checked",
  }),
  isNegative: true,
  check({ kinds, patterns, allow }, output, isNegative) {
    const found = isNegative
      ? findPiiInAnswer(output, new Set(kinds), patterns)
      : findPii(output, new Set(kinds), patterns).map((finding) => ({ ...finding, shown: finding.text }));
    return decide(found.filter(({ text, shown }) => !isAllowed(text, allow) && !isAllowed(shown, allow)));
  },
});

const nouns: Readonly<Record<string, string>> = {
  ssn: "a social security number",
  card: "a card number",
  email: "an e-mail address",
  phone: "a phone number",
  iban: "an IBAN",
};
const shownAtMost = 3;

function decide(findings: readonly AnswerFinding[]): AssertionOutcome {
  if (findings.length === 0) return { pass: true, score: 1, message: "The answer contains no personal data" };
  const shown = findings.slice(0, shownAtMost).map((found) => `${nouns[found.kind] ?? found.kind} (${masked(found)})`);
  const more = findings.length > shownAtMost ? ` and ${findings.length - shownAtMost} more` : "";
  return {
    pass: false,
    score: 0,
    message: `Expected no personal data in the answer, but found ${shown.join(", ")}${more}`,
    expected: "no personal data",
    actual: findings.map((found) => `${found.kind}: ${masked(found)}`),
    sensitive: [...new Set(findings.flatMap((found) => [found.text, found.shown]))],
  };
}

function masked({ kind, shown, index }: AnswerFinding): string {
  return maskFinding({ kind, text: shown, index });
}

const letterOrDigit = unicodePattern(String.raw`[\p{L}\p{N}]`, "gu");

/** Enough to find the place in the answer, and too little to be personal data itself. */
function maskFinding({ kind, text }: PiiFinding): string {
  if (kind === "email") return `${text.charAt(0)}***@***${text.slice(text.lastIndexOf("."))}`;
  const shown = kind === "card" || kind === "iban" ? 4 : 2;
  const visibleFrom = text.length >= shown * 3 ? text.length - shown : text.length;
  return text.slice(0, visibleFrom).replaceAll(letterOrDigit(), "*") + text.slice(visibleFrom);
}

/** Whether a finding is one of the strings that may occur. Case and the separators of numbers do not count. */
function isAllowed(text: string, allow: readonly string[]): boolean {
  return allow.some((entry) => fitsWildcards(fold(text), fold(entry)));
}

/** An address keeps its marks, which distinguish it from others; in a number they are a matter of taste. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  return lower.includes("@") ? lower : lower.replaceAll(/[\s().\-\u2010-\u2013\u2212/]/g, "");
}

/** `*` stands for any run of characters. The pieces between are found from the left, which takes linear time. */
function fitsWildcards(text: string, pattern: string): boolean {
  const pieces = pattern.split("*");
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return text === pattern;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
