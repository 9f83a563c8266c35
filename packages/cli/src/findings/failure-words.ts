import type { AssertionResult } from "@kindlm/core";

/** How a failing assertion is put into words. Text is masked, and not yet escaped for where it is shown. */
export interface FailureWords {
  /** A sentence about this trial, without a period. */
  title: string;
  /** The same without its values, for cases that differ in them. Default: the title. */
  general?: string;
  /** What distinguishes this failure from others of the assertion, such as the types of the values that differ. */
  sort?: string;
  /** The tool that it is about. */
  tool?: string;
  /** The first path that differs. */
  path?: string;
  /** What else is worth a line, such as how the judge came to its score. */
  note?: string;
  /** What differs from case to case: values by the names of their columns. */
  columns?: Readonly<Record<string, string>>;
  /** A few words for one line, such as `amount 1, expected 1250`. */
  reason: string;
}

/** What the words of an assertion are made with. */
export interface Wording {
  mask(text: string): string;
  /** A value on one line, masked, cut. */
  show(value: unknown): string;
  /** As `show`, without the quotes of a string. */
  text(value: unknown): string;
}

/** Puts an assertion that failed into words; null for what it does not know. */
export type Describe = (result: AssertionResult, wording: Wording) => FailureWords | null;

export const longestValue = 160;

/** A message with its quoted strings and numbers left out, so that equal ones about other values are equal. */
export function withoutValues(message: string): string {
  return message
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\b(?=\w*\d)\w{16,}\b/g, "#")
    .replaceAll(/(?<![\w.-])[-+]?\d[\d.,]*(?: ?(?:ms|s|min|h|%))?(?![\w-])/g, "#");
}

/** Masked text, cut. */
export function cutValue(text: string): string {
  return text.length <= longestValue ? text : `${text.slice(0, longestValue - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
