import type { Diagnostic } from "../errors/error-table.js";
import { diagnosticsOf } from "../errors/diagnostics-of.js";
import { digestDiagnostics, type DigestedDiagnostic } from "../errors/digest-diagnostics.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { ErrorExplanation, RenderOptions } from "./define-reporter.js";
import { describeTally } from "./describe-digest.js";

/**
 * An error for people: one entry per kind of problem that it carries, at last how many there are where not each has its
 * own. `diagnostics`: problems that belong to the error and are not in its details.
 */
export function explain(
  error: KindlmError,
  options: Pick<RenderOptions, "explain" | "digest">,
  diagnostics: readonly Diagnostic[] = [],
): readonly ErrorExplanation[] {
  const problems = diagnostics.length > 0 ? diagnostics : diagnosticsOf(error);
  const { shown, tally } = digestDiagnostics(
    problems.filter(({ severity }) => severity === "error"),
    options.digest,
  );
  const explanations = inWords(error, options, shown);
  return tally === null ? explanations : [...explanations, describeTally(tally, options.digest)];
}

/** An error in the words that the caller handed in; without them, in its own. */
export function inWords(
  error: KindlmError,
  options: Pick<RenderOptions, "explain">,
  diagnostics: readonly DigestedDiagnostic[],
): readonly ErrorExplanation[] {
  return options.explain?.(error, diagnostics) ?? [{ title: error.message }];
}
