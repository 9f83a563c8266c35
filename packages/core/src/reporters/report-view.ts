import type { AssertionResult } from "../assertions/assertion-result.js";
import { redactValue } from "../redaction/redact-value.js";
import type { View } from "../shape/shape.js";
import { maskFor } from "./case-mask.js";
import type { RenderOptions } from "./define-reporter.js";

type ViewOptions = Pick<RenderOptions, "redact" | "verbose">;

/** For what KindLM says, and for what was said in a case whose assertions found nothing that must not be shown. */
export function reportView({ redact, verbose }: ViewOptions): View {
  return { text: redact, value: (value) => redactValue(value, redact), verbose, messages: false, said: null };
}

/** For what was said in a trial, or in a case with these assertions. */
export function saidView(assertions: readonly AssertionResult[], { redact, verbose }: ViewOptions): View {
  return reportView({ redact: maskFor(assertions, redact), verbose });
}

/** For a case with these assertions. */
export function caseView(assertions: readonly AssertionResult[], options: ViewOptions): View {
  return { ...reportView(options), said: saidView(assertions, options) };
}
