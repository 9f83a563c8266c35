import type { Diagnostic } from "../errors/diagnostic.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { ErrorExplanation, RenderOptions } from "./define-reporter.js";

/** An error in the words that the caller handed in; without them, in its own. */
export function explain(
  error: KindlmError,
  options: Pick<RenderOptions, "explain">,
  diagnostics?: readonly Diagnostic[],
): readonly ErrorExplanation[] {
  return options.explain?.(error, diagnostics) ?? [{ title: error.message }];
}
