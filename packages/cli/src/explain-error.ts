import {
  describeRepeats,
  diagnosticsOf,
  type DigestedDiagnostic,
  type ErrorCode,
  type ErrorExplanation,
  type KindlmError,
  type KindlmErrorOf,
} from "@kindlm/core";
import { errorMessages, type ErrorWords } from "./error-messages.js";
import { renderFrame } from "./render-frame.js";
import { verboseDetails } from "./verbose-details.js";

/** An error in words: one entry per diagnostic that it carries, else one for itself. */
export function explainError(
  error: KindlmError,
  verbose: boolean,
  diagnostics: readonly DigestedDiagnostic[] = diagnosticsOf(error),
): readonly ErrorExplanation[] {
  const problems = diagnostics.length > 0 ? diagnostics : diagnosticsOf(error);
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length === 0) return [{ ...wordsFor(error), ...(verbose ? { more: verboseDetails(error) } : {}) }];
  const explanations = errors.map(explainDiagnostic);
  const last = explanations.at(-1);
  if (verbose && last !== undefined) last.more = [...(last.more ?? []), ...verboseDetails(error)];
  return explanations;
}

/** A problem of a config: what is wrong and where, what to do, the place with its lines. */
export function explainDiagnostic(diagnostic: DigestedDiagnostic): ErrorExplanation {
  const { position, message, code } = diagnostic;
  // The specification's own examples: only what is wrong within the YAML is a "Config error" with its line.
  const isWithinConfig =
    diagnostic.severity === "error" && (code === "CONFIG_PARSE_ERROR" || code === "CONFIG_VALIDATION_ERROR");
  const line = isWithinConfig && position !== undefined ? ` at line ${position.line}` : "";
  const explanation: ErrorExplanation = { title: `${isWithinConfig ? "Config error: " : ""}${message}${line}` };
  const reference = diagnostic.referencedIn === undefined ? undefined : `Referenced in ${diagnostic.referencedIn}`;
  const fix = diagnostic.hint ?? reference;
  if (fix !== undefined) explanation.fix = fix;
  const more = diagnostic.hint !== undefined && reference !== undefined ? [reference] : [];
  const place = position === undefined ? [] : [`${position.file}:${position.line}:${position.column}`];
  const repeats = describeRepeats(diagnostic);
  explanation.more = [...more, ...place, ...renderFrame(diagnostic), ...(repeats === "" ? [] : [repeats])];
  return explanation;
}

function wordsFor<C extends ErrorCode>(error: KindlmErrorOf<C>): ErrorWords {
  // TypeScript relates a key and its value only through a mapped type, which this annotation is.
  const messages: { [K in ErrorCode]: (error: KindlmErrorOf<K>) => ErrorWords } = errorMessages;
  return messages[error.code](error);
}
