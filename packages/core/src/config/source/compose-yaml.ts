import { parseDocument } from "yaml";
import { attemptSync } from "../../errors/boundary.js";
import { failure, type Result } from "../../result.js";
import { positionOf, type SourceText } from "./source-text.js";
import type { Written } from "./written.js";
import { hintForYaml } from "./yaml-hints.js";
import { toWritten, type YamlProblem } from "./yaml-value.js";

const mostProblems = 10;

/** Reads all of YAML with the library, and says what is wrong. */
export function composeYaml(source: SourceText): Result<Written, readonly YamlProblem[]> {
  const { text } = source;
  const composed = attemptSync(
    () => parseDocument(text, { version: "1.2", schema: "core", prettyErrors: false, uniqueKeys: false }),
    (): readonly YamlProblem[] => [{ range: { start: 0, end: 0 }, message: "The file can not be read as YAML" }],
  );
  if (!composed.success) return composed;
  const document = composed.data;
  const unknownTags = document.warnings.filter((warning) => warning.code === "TAG_RESOLVE_FAILED");
  const errors = [...document.errors, ...unknownTags];
  if (errors.length > 0) {
    const seen = new Set<number>();
    const problems = errors
      .map((error) => toProblem(source, error))
      .filter((problem) => {
        const { line } = positionOf(source, problem.range);
        return seen.has(line) ? false : Boolean(seen.add(line));
      });
    return failure(problems.slice(0, mostProblems));
  }
  const written = toWritten(document.contents, text);
  return written.success ? written : failure(written.error.map((problem) => withRelated(source, problem)));
}

function toProblem(source: SourceText, error: { pos: [number, number]; code: string; message: string }): YamlProblem {
  const [start, end] = error.pos;
  const { text } = source;
  const lineStart = text.lastIndexOf("\n", Math.max(0, start - 1)) + 1;
  const feed = text.indexOf("\n", start);
  const line = text.slice(lineStart, feed === -1 ? text.length : feed);
  const message =
    error.code === "MULTIPLE_DOCS"
      ? "the file holds several documents"
      : (error.message.split("\n")[0] ?? "").replace(/[.:]$/, "");
  const hint = hintForYaml(error.message, error.code, line.trimEnd());
  const problem = { range: { start, end: Math.max(end, start + 1) }, message: `Invalid YAML: ${message}` };
  return hint === undefined ? problem : { ...problem, hint };
}

function withRelated(source: SourceText, problem: YamlProblem): YamlProblem {
  if (problem.related === undefined) return problem;
  return { ...problem, hint: `It stands already at line ${positionOf(source, problem.related).line}` };
}
