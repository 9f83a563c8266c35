/** The fix for a frequent mistake, derived from the parser's message and its line. */
export function hintForYaml(message: string, code: string, line: string): string | undefined {
  const placeholder = /(?:^|[\s:[,-])(\{\{[^{}]*\}\}[^"']*)$/.exec(line)?.[1]?.trim();
  if (placeholder !== undefined) return `Quote it: "${placeholder}"`;
  if (code === "TAB_AS_INDENT" || /^\s*\t/.test(line)) return "Indent with spaces; YAML does not allow tabs there";
  const reserved = /Plain value cannot start with (?:reserved character )?(\S)/.exec(message)?.[1];
  if (reserved !== undefined) return `Quote the text: a value cannot start with ${reserved}`;
  if (message.includes('Missing closing "quote')) return 'Close the text with "';
  if (message.includes("Missing closing 'quote")) return "Close the text with '; a ' inside it is written twice";
  if (code === "BAD_DQ_ESCAPE") return "Write \\\\ for a backslash, or use single quotes";
  if (message.includes("Nested mappings are not allowed in compact mappings")) {
    return "Quote the text: it holds a colon followed by a space";
  }
  if (/^\s*(?:- )?[A-Za-z_][\w-]*:[^\s/]/.test(line)) return "Put a space after the colon";
  if (code === "BAD_ALIAS") return "A value that starts with * is a YAML alias. Quote it if it is text";
  if (code === "BAD_INDENT") return "Align it with the lines that belong to the same mapping or list";
  if (code === "MULTIPLE_DOCS") return "Write one document per file, without ---";
  return undefined;
}
