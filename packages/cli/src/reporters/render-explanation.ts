import type { AsTyped } from "../arguments/as-typed.js";
import type { ErrorExplanation } from "../errors/error-messages.js";
import type { Colors } from "../terminal/colors.js";

export interface ExplanationView {
  palette: Colors;
  /** Applied to every line before it is colored. */
  line(text: string): string;
  /** Default: commands stay as they are. */
  asTyped?: AsTyped;
}

/** The lines of an error: `✗ title` in bold red, below it what to do, then the rest, indented. */
export function renderExplanation(
  explanation: ErrorExplanation,
  { palette, line: safe, asTyped = (text) => text }: ExplanationView,
): string[] {
  const lines = [palette.bold(palette.red(`✗ ${safe(explanation.title)}`))];
  for (const line of explanation.fix?.split("\n") ?? []) lines.push(`  ${safe(asTyped(line))}`);
  for (const line of explanation.more ?? []) lines.push(palette.dim(`  ${safe(line)}`));
  return lines;
}
