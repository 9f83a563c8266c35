import type { ErrorExplanation } from "../errors/error-messages.js";
import type { Colors } from "../terminal/colors.js";

/**
 * The lines of an error: `✗ title` in bold red, below it what to do, then the rest, indented. `safe` is applied to
 * every line before it is colored.
 */
export function renderExplanation(
  explanation: ErrorExplanation,
  palette: Colors,
  safe: (line: string) => string,
): string[] {
  const lines = [palette.bold(palette.red(`✗ ${safe(explanation.title)}`))];
  for (const line of explanation.fix?.split("\n") ?? []) lines.push(`  ${safe(line)}`);
  for (const line of explanation.more ?? []) lines.push(palette.dim(`  ${safe(line)}`));
  return lines;
}
