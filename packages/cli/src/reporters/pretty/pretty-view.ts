import type { KindlmError } from "@kindlm/core";
import { visibleLine } from "@kindlm/core/program";
import type { AsTyped } from "../../arguments/as-typed.js";
import type { ErrorExplanation } from "../../errors/error-messages.js";
import { explainDigested } from "../../errors/explain-error.js";
import { createColors, type Colors } from "../../terminal/colors.js";
import type { ReportOptions } from "../report-options.js";

/** What every part of the report needs to show text safely. */
export interface PrettyView {
  palette: Colors;
  options: ReportOptions;
  /** Untrusted text on one line: secrets masked, control characters written out. */
  line(text: string): string;
  /** As `line`, cut to `width` characters. */
  short(text: string, width: number): string;
  asTyped: AsTyped;
  explain(error: KindlmError): readonly ErrorExplanation[];
}

export function createPrettyView(options: ReportOptions): PrettyView {
  // Masked before anything is cut, so that no half of a secret is left.
  const line = (text: string): string => visibleLine(options.redact(text));
  return {
    palette: createColors(options.color),
    options,
    line,
    asTyped: options.asTyped ?? ((text) => text),
    short: (text, width) => cut(line(text), width),
    explain: (error) => explainDigested(error, options),
  };
}

function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  // A pair of surrogates is not torn apart.
  return `${text.slice(0, Math.max(1, width - 1)).replace(/[\ud800-\udbff]$/, "")}…`;
}
