import type { KindlmError } from "@kindlm/core";
import type { AsTyped } from "../../arguments/as-typed.js";
import type { ErrorExplanation } from "../../errors/error-messages.js";
import { explainDigested } from "../../errors/explain-error.js";
import { createColors, type Colors } from "../../terminal/colors.js";
import { shownLine } from "../../terminal/signs.js";
import { fitWidth, hangWidth } from "../../terminal/text-width.js";
import type { ReportOptions } from "../report-options.js";

/** Text never runs into a longer line, however wide the terminal is. */
const mostColumns = 120;

/** What every part of the report needs to show text safely. */
export interface PrettyView {
  palette: Colors;
  options: ReportOptions;
  /** Columns of a line; the last one of the terminal stays free. */
  columns: number;
  /** Untrusted text on one line: secrets masked, control characters shown. */
  line(text: string): string;
  /** As `line`, of text that is masked. */
  shown(text: string): string;
  /** As `line`, cut to `width` columns. */
  short(text: string, width: number): string;
  /** Lines of at most the columns, the further ones indented as far as the text of the first. */
  wrap(head: string, text: string): string[];
  asTyped: AsTyped;
  /** A command to be typed, on the configs of the run. */
  command(words: string): string;
  explain(error: KindlmError): readonly ErrorExplanation[];
}

export function createPrettyView(options: ReportOptions): PrettyView {
  // Masked before anything is cut, so that no half of a secret is left.
  const shown = (text: string): string => shownLine(text, options.ascii === true);
  const line = (text: string): string => shown(options.redact(text));
  const columns = Math.max(20, Math.min(options.width, mostColumns) - 1);
  const asTyped = options.asTyped ?? ((text: string) => text);
  return {
    palette: createColors(options.color),
    options,
    columns,
    line,
    shown,
    asTyped,
    command: options.command ?? asTyped,
    short: (text, width) => fitWidth(line(text), width),
    wrap: (head, text) => hangWidth(head, text, columns),
    explain: (error) => explainDigested(error, options),
  };
}

/** The heading of a section, and what it says about itself. */
export function heading(name: string, about: string, { palette, wrap }: PrettyView): string {
  return `\n${wrap("", about === "" ? palette.bold(name) : `${palette.bold(name)}  ${about}`).join("\n")}\n`;
}
