import type { ErrorExplanation } from "@kindlm/core";
import type { Palette } from "./palette.js";

/**
 * The lines of an error: `✗ title` in bold red, below it what to do, then the rest, indented. `safe` is applied to
 * every line before it is coloured.
 */
export function renderExplanation(
  explanation: ErrorExplanation,
  palette: Palette,
  safe: (line: string) => string,
): string[] {
  const lines = [palette.bold(palette.red(`✗ ${safe(explanation.title)}`))];
  for (const line of explanation.fix?.split("\n") ?? []) lines.push(`  ${safe(line)}`);
  for (const line of explanation.more ?? []) lines.push(palette.dim(`  ${safe(line)}`));
  return lines;
}
