import type { AsTyped } from "../arguments/as-typed.js";
import { visible } from "@kindlm/core/program";
import { renderExplanation } from "../reporters/render-explanation.js";
import type { Diagnostic, KindlmError } from "@kindlm/core";
import { createColors } from "../terminal/colors.js";
import { describeTally } from "./describe-digest.js";
import { digestDiagnostics, type DigestOptions } from "./digest-diagnostics.js";
import type { ErrorExplanation } from "./error-messages.js";
import { explainDiagnostic, explainDigested } from "./explain-error.js";

export interface ErrorView {
  color: boolean;
  verbose: boolean;
  /** How many problems of a config are shown. Default: equal ones once, and at most 20. */
  digest?: DigestOptions;
  /** Default: commands stay as they are. */
  asTyped?: AsTyped;
}

/** An error as it is printed: `✗ what`, below it what to do, then where. Every kind of problem that it carries. */
export function renderError(error: KindlmError, view: ErrorView): string {
  return explainDigested(error, view)
    .map((explanation) => render(explanation, view))
    .join("\n");
}

/** Errors and warnings of a config, each marked as what it is, and how many there are where not each is shown. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], view: ErrorView): string {
  const { shown, tally } = digestDiagnostics(diagnostics, view.digest);
  const entries = shown.map((diagnostic) => ({
    explanation: explainDiagnostic(diagnostic),
    isError: diagnostic.severity === "error",
  }));
  if (tally !== null) entries.push({ explanation: describeTally(tally, view.digest), isError: tally.errors > 0 });
  return entries
    .map(({ explanation, isError }) => (isError ? render(explanation, view) : renderWarning(explanation, view)))
    .join("");
}

/** A mistake in how the program was called. */
export function renderUsageError(explanation: ErrorExplanation, view: ErrorView): string {
  // What is wrong names commands too, such as the one that lacks an argument.
  return render({ ...explanation, title: view.asTyped?.(explanation.title) ?? explanation.title }, view);
}

/** Something worth knowing that decides nothing. */
export function renderWarning(explanation: ErrorExplanation, view: ErrorView): string {
  const colors = createColors(view.color);
  const [, ...rest] = render(explanation, view).split("\n");
  return [colors.yellow(`⚠ ${safeLine(explanation.title)}`), ...rest].join("\n");
}

function render(explanation: ErrorExplanation, view: ErrorView): string {
  const lines = renderExplanation(explanation, { ...view, palette: createColors(view.color), line: safeLine });
  return `${lines.join("\n")}\n`;
}

/** Tabs stay, because the marks below a config line are aligned with them. */
function safeLine(line: string): string {
  return visible(line).replaceAll("\n", String.raw`\n`);
}
