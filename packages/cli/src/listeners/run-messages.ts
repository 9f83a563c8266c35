import type { Diagnostic, KindlmError, RunResult } from "@kindlm/core";
import type { ErrorExplanation } from "../errors/error-messages.js";
import { explainError } from "../errors/explain-error.js";
import { renderDiagnostics, renderError, renderWarning, type ErrorView } from "../errors/render-error.js";

/** What a run prints on stderr in addition to its reports: text for people, or the lines of a structured log. */
export interface RunMessages {
  format: "text" | "json";
  error(error: KindlmError): string;
  diagnostics(diagnostics: readonly Diagnostic[]): string;
  warning(error: KindlmError): string;
  /** A warning of the command line itself. */
  remark(explanation: ErrorExplanation): string;
  /** `level`: of the line in a log. Default: `warn`. */
  advice(text: string, level?: "info" | "warn"): string;
  summary(result: RunResult): string;
}

/** Messages for people. Their summary is part of the report. */
export function createTextMessages(view: ErrorView): RunMessages {
  return {
    format: "text",
    error: (error) => renderError(error, view),
    diagnostics: (diagnostics) => renderDiagnostics(diagnostics, view),
    warning: (error) => {
      const [explanation = { title: error.message }] = explainError(error, view.verbose);
      return renderWarning(explanation, view);
    },
    remark: (explanation) => renderWarning(explanation, view),
    advice: (text) => `${text}\n`,
    summary: () => "",
  };
}
