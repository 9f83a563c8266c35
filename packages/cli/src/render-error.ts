import { renderExplanation, visible, type Diagnostic, type ErrorExplanation, type KindlmError } from "@kindlm/core";
import picocolors from "picocolors";
import { explainDiagnostic, explainError } from "./explain-error.js";

export interface ErrorView {
  color: boolean;
  verbose: boolean;
}

/** An error as it is printed: `✗ what`, below it what to do, then where. Every problem that it carries, one by one. */
export function renderError(error: KindlmError, view: ErrorView): string {
  return explainError(error, view.verbose)
    .map((explanation) => render(explanation, view))
    .join("\n");
}

/** A mistake in how the program was called. */
export function renderUsageError(explanation: ErrorExplanation, view: ErrorView): string {
  return render(explanation, view);
}

/** Something worth knowing that decides nothing. */
export function renderWarning(warning: Diagnostic | ErrorExplanation, view: ErrorView): string {
  const explanation = "message" in warning ? explainDiagnostic(warning) : warning;
  const colors = picocolors.createColors(view.color);
  const [, ...rest] = render(explanation, view).split("\n");
  return [colors.yellow(`⚠ ${safeLine(explanation.title)}`), ...rest].join("\n");
}

function render(explanation: ErrorExplanation, view: ErrorView): string {
  const lines = renderExplanation(explanation, picocolors.createColors(view.color), safeLine);
  return `${lines.join("\n")}\n`;
}

/** Tabs stay, because the marks below a config line are aligned with them. */
function safeLine(line: string): string {
  return visible(line).replaceAll("\n", String.raw`\n`);
}
