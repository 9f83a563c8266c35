import type { AssertionResult } from "../assertions/assertion-result.js";
import { maskTexts } from "../redaction/redactor.js";

/** The redaction of one case or trial: secrets, and what its assertions found that must not be shown. */
export function maskFor(
  assertions: readonly AssertionResult[],
  redact: (text: string) => string,
): (text: string) => string {
  const sensitive = sensitiveTexts(assertions);
  if (sensitive.length === 0) return redact;
  const hide = maskTexts(sensitive);
  return (text) => hide(redact(text));
}

function sensitiveTexts(assertions: readonly AssertionResult[]): string[] {
  return assertions.flatMap((assertion) => [
    ...(assertion.sensitive ?? []),
    ...(assertion.parts === undefined ? [] : sensitiveTexts(assertion.parts)),
  ]);
}
