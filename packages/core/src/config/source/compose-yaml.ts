import { Lexer, parseDocument, Parser } from "yaml";
import { attemptSync } from "../../errors/boundary.js";
import { failure, type Result } from "../../result.js";
import { lineNumberOf, positionOf, type SourceText } from "./source-text.js";
import { deepest, type Written } from "./written.js";
import { toWritten, type YamlProblem } from "./yaml-value.js";

const mostProblems = 10;

/**
 * Tokens that may be open at a time. The library calls itself for each, and V8 ends the whole process if the stack is
 * used up while it compiles a regular expression.
 */
const mostOpen = 500;

/** Reads all of YAML with the library, and says what is wrong. */
export function composeYaml(source: SourceText): Result<Written, readonly YamlProblem[]> {
  const { text } = source;
  const tooDeepAt = mayNestDeep(text) ? findNesting(text) : null;
  if (tooDeepAt !== null) {
    const range = { start: tooDeepAt, end: tooDeepAt + 1 };
    return failure([{ range, message: `Nested deeper than ${deepest} levels` }]);
  }
  const composed = attemptSync(
    () => parseDocument(text, { version: "1.2", schema: "core", prettyErrors: false, uniqueKeys: false }),
    (): readonly YamlProblem[] => [{ range: { start: 0, end: 0 }, message: "The file cannot be read as YAML" }],
  );
  if (!composed.success) return composed;
  const document = composed.data;
  const unknownTags = document.warnings.filter((warning) => warning.code === "TAG_RESOLVE_FAILED");
  const errors = [...document.errors, ...unknownTags];
  if (errors.length > 0) return failure(firstOfEachLine(source, errors).map((error) => toProblem(source, error)));
  const written = toWritten(document.contents, text);
  return written.success ? written : failure(written.error.map((problem) => withRelated(source, problem)));
}

/** False for nearly every text, at a glance: as if brackets in strings were brackets. */
function mayNestDeep(text: string): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = Math.max(0, open + (bracket === "[" || bracket === "{" ? 1 : -1));
    if (open > mostOpen / 2) return true;
  }
  return /(?:[-?:][ \t]+){250}|^ {250}/m.test(text);
}

/** Where more tokens are open than the library can take; null if nowhere. */
function findNesting(text: string): number | null {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    // What comes out is not needed, but the parser goes on only while it is taken.
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > mostOpen) return parser.offset;
  }
  return null;
}

/** What the library says. */
interface ComposeError {
  pos: [number, number];
  code: string;
  message: string;
}

/** One line can have as many errors as it has characters, and looking at each of them would take as long as the line is. */
function firstOfEachLine(source: SourceText, errors: readonly ComposeError[]): readonly ComposeError[] {
  const byLine = new Map<number, ComposeError>();
  for (const error of errors) {
    const line = lineNumberOf(source, error.pos[0]);
    if (!byLine.has(line)) byLine.set(line, error);
    if (byLine.size === mostProblems) break;
  }
  return [...byLine.values()];
}

function toProblem(source: SourceText, error: ComposeError): YamlProblem {
  const [start, end] = error.pos;
  const { text } = source;
  const lineStart = text.lastIndexOf("\n", Math.max(0, start - 1)) + 1;
  const feed = text.indexOf("\n", start);
  const line = text.slice(lineStart, feed === -1 ? text.length : feed);
  const message =
    error.code === "MULTIPLE_DOCS"
      ? "the file contains several documents"
      : (error.message.split("\n")[0] ?? "").replace(/[.:]$/, "");
  const hint = hintForYaml(error.message, error.code, line.trimEnd());
  const problem = { range: { start, end: Math.max(end, start + 1) }, message: `Invalid YAML: ${message}` };
  return hint === undefined ? problem : { ...problem, hint };
}

function withRelated(source: SourceText, problem: YamlProblem): YamlProblem {
  if (problem.related === undefined) return problem;
  return { ...problem, hint: `It is already set at line ${positionOf(source, problem.related).line}` };
}

/** The fix for a frequent mistake, derived from the parser's message and its line. */
function hintForYaml(message: string, code: string, line: string): string | undefined {
  const placeholder = /(?:^|[\s:[,-])(\{\{[^{}]*\}\}[^"']*)$/.exec(line)?.[1]?.trim();
  if (placeholder !== undefined) return `Quote it: "${placeholder}"`;
  if (code === "TAB_AS_INDENT" || /^\s*\t/.test(line)) return "Indent with spaces; YAML does not allow tabs there";
  const reserved = /Plain value cannot start with (?:reserved character )?(\S)/.exec(message)?.[1];
  if (reserved !== undefined) return `Quote the text: a value cannot start with ${reserved}`;
  if (message.includes('Missing closing "quote')) return 'Close the text with "';
  if (message.includes("Missing closing 'quote")) return "Close the text with '; a ' inside it is written twice";
  if (code === "BAD_DQ_ESCAPE") return "Write \\\\ for a backslash, or use single quotes";
  if (message.includes("Nested mappings are not allowed in compact mappings")) {
    return "Quote the text: it contains a colon followed by a space";
  }
  if (/^\s*(?:- )?[A-Za-z_][\w-]*:[^\s/]/.test(line)) return "Put a space after the colon";
  if (code === "BAD_ALIAS") return "A value that starts with * is a YAML alias. Quote it if it is text";
  // A key that stands a little further left or right than its siblings.
  if (code === "BAD_INDENT" || message.includes("Sequence item without - indicator"))
    return "Align it with the lines that belong to the same object or list";
  if (code === "MULTIPLE_DOCS") return "Write one document per file, without ---";
  return undefined;
}
