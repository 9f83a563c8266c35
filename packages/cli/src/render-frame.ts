import type { Diagnostic } from "@kindlm/core";

/** The lines around a problem, numbered, with the piece that is wrong underlined. */
export function renderFrame({ position, frame }: Diagnostic): string[] {
  if (position === undefined || frame === undefined) return [];
  const widest = Math.max(...frame.map(({ line }) => String(line).length), 0);
  return frame.flatMap(({ line, text }) => {
    const shown = `${String(line).padStart(widest)} | ${text}`;
    if (line !== position.line) return [shown];
    const before = text.slice(0, position.column - 1);
    const room = Math.max(1, text.length - before.length);
    // Tabs stay tabs, so that the marks stand below what they mark.
    const indent = before.replaceAll(/[^\t]/g, " ");
    return [shown, `${" ".repeat(widest)} | ${indent}${"^".repeat(Math.min(Math.max(1, position.length), room))}`];
  });
}
