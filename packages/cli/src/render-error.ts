import {
  renderExplanation,
  visible,
  type Diagnostic,
  type ErrorExplanation,
  type KindlmError,
  type Redactor,
} from "@kindlm/core";
import picocolors from "picocolors";
import { explainDiagnostic, explainError } from "./explain-error.js";

export interface ErrorView {
  color: boolean;
  verbose: boolean;
  redactor: Redactor;
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
  return [colors.yellow(`⚠ ${safeLine(explanation.title, view)}`), ...rest].join("\n");
}

function render(explanation: ErrorExplanation, view: ErrorView): string {
  const lines = renderExplanation(explanation, picocolors.createColors(view.color), (line) => safeLine(line, view));
  return `${lines.join("\n")}\n`;
}

/** Tabs stay, because the marks below a config line are aligned with them. */
function safeLine(line: string, view: ErrorView): string {
  return visible(view.redactor.redact(line)).replaceAll("\n", String.raw`\n`);
}
