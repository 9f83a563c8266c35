import { visible, visibleLine } from "@kindlm/core/program";

/** Text of anybody as code within a line of text, where it cannot be a heading, a link, a mention or HTML. */
export function inlineCode(text: string): string {
  const line = visibleLine(text);
  if (line.trim() === "") return "` `";
  const ticks = "`".repeat(longestRun(line) + 1);
  const pad = /^[`\s]|[`\s]$/.test(line) ? " " : "";
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Text of anybody as a block of code that nothing in it can end. */
export function codeBlock(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${visible(text).replace(/\n+$/, "")}\n${fence}\n`;
}

/**
 * Text of anybody as code within a line of HTML or a cell of a table, which ends at a bar even within ticks. Every mark
 * is written by its number: Markdown, which is read there too, sees none.
 */
export function htmlCode(text: string): string {
  const escaped = visibleLine(text).replaceAll(/[!-,/:-@[-`{-~.]/g, (mark) => `&#${mark.charCodeAt(0)};`);
  return `<code>${escaped}</code>`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
