import type { Colors } from "../terminal/colors.js";

export interface TranscriptView {
  palette: Colors;
  /** Columns of a line. */
  width: number;
  redact(text: string): string;
  /** Whether the terminal shows ASCII alone. */
  ascii: boolean;
  /** Long text is cut, and of the assertions only those that failed speak. `more` is the command that shows the rest. */
  excerpt?: { more: string };
  /** The files that the agent changed are shown elsewhere. */
  withoutFiles?: true;
}
