/** Text that has passed a redactor. Whatever writes to a stream or to a file takes nothing else. */
export type RedactedText = string & { readonly "passed a redactor": true };

/** Joins strings that have passed a redactor. Besides them, only numbers and literals can be inserted. */
export function redacted(code: TemplateStringsArray, ...texts: readonly (RedactedText | number)[]): RedactedText {
  return passed(String.raw({ raw: code }, ...texts));
}

/** What must be written as it is: the tokens in the one file that keeps them. */
export function unmasked(text: string): RedactedText {
  return passed(text);
}

/** For redactors. */
export function passed(text: string): RedactedText {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where a string gets the mark of having passed
  return text as RedactedText;
}
