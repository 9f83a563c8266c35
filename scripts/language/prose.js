import ts from "typescript";

/** Both functions keep the length of the text and its line breaks, so an offset in the result is one in the file. */

const isString = (node) => ts.isStringLiteralLike(node) && /\s/.test(node.text);
const isTemplatePart = (node) => ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
const blank = (text) => text.replaceAll(/[^\n]/g, " ");

/** Returns the comments and strings of TypeScript. A string without a space is an identifier, so it is left out. */
export function proseOfTypeScript(text) {
  const file = ts.createSourceFile("prose.ts", text, ts.ScriptTarget.Latest, true);
  const ranges = [];
  const visit = (node) => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.pos) ?? []) ranges.push([pos, end]);
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (isString(node) || isTemplatePart(node)) ranges.push([node.getStart(file), node.end]);
    node.getChildren(file).forEach(visit);
  };
  visit(file);
  return join(keep(text, ranges).replaceAll(/(\n\s*)[*/]+(?=\s)/g, (lead, indent) => indent.padEnd(lead.length)));
}

/** Returns Markdown without code. */
export function proseOfMarkdown(text) {
  const prose = text.replaceAll(/^(```|~~~)[^]*?^\1/gm, blank);
  return join(prose.replaceAll(/`[^`\n]*`/g, (code) => "x".repeat(code.length)));
}

function keep(text, ranges) {
  let prose = "";
  for (const [start, end] of ranges) {
    if (end <= prose.length) continue;
    prose += blank(text.slice(prose.length, start)) + text.slice(Math.max(start, prose.length), end);
  }
  return prose + blank(text.slice(prose.length));
}

/** A phrase may continue on the next line. */
function join(text) {
  return text.replaceAll(/(?<=\S)\n[ \t]*(?=\S)/g, (gap) => " ".repeat(gap.length));
}
