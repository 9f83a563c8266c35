import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  type Alias,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import { attemptSync } from "../../errors/boundary.js";
import { failure, success, type Result } from "../../result.js";
import { positionOf, type SourceText, type TextRange } from "./source-text.js";
import { hintForYaml } from "./yaml-hints.js";
import { isMergeKey, nameOfKey, rangeOf, toYamlValue, type YamlProblem } from "./yaml-value.js";

export type Path = readonly (string | number)[];

/** A YAML file: its value, and where each part of it is written. */
export interface YamlDocument {
  source: SourceText;
  value: unknown;
  /**
   * The text of the value at `path`, or of its key when `atKey`. Where the path leads out of the document, the last
   * mapping or list on the way.
   */
  locate(path: Path, atKey?: boolean): TextRange;
}

const mostProblems = 10;

/** Reads YAML 1.2 (core schema, with merge keys). Never throws. An empty document has the value null. */
export function parseYaml(source: SourceText): Result<YamlDocument, readonly YamlProblem[]> {
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
  const contents = document.contents as Node | null;
  const { value, targets, problems } = toYamlValue(contents, text);
  if (problems.length > 0) return failure(problems.map((problem) => withRelated(source, problem)));
  return success({ source, value, locate: (path, atKey = false) => locate(contents, targets, path, atKey) });
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

function locate(contents: Node | null, targets: ReadonlyMap<Alias, Node>, path: Path, atKey: boolean): TextRange {
  let node: Node | null = contents;
  let range = node === null ? { start: 0, end: 0 } : rangeOf(node);
  for (const [index, step] of path.entries()) {
    const container = resolve(node, targets);
    let next: Node | null = null;
    if (isSeq(container) && typeof step === "number") {
      next = nodeOf(container.items[step]);
    } else if (isMap(container)) {
      const pair = findPair(container, String(step), targets);
      if (pair === undefined) return range;
      const key = rangeOf(pair.key);
      if (index === path.length - 1 && atKey) return key;
      next = nodeOf(pair.value);
      // An empty value has no text of its own; its key stands for it.
      if (next === null || (isScalar(next) && isEmpty(next))) range = key;
    }
    if (next === null) return range;
    node = next;
    if (!(isScalar(next) && isEmpty(next))) range = rangeOf(next);
  }
  return range;
}

function isEmpty(node: Node): boolean {
  const { start, end } = rangeOf(node);
  return start === end;
}

function resolve(node: Node | null, targets: ReadonlyMap<Alias, Node>): Node | null {
  return isAlias(node) ? (targets.get(node) ?? null) : node;
}

function findPair(map: YAMLMap, name: string, targets: ReadonlyMap<Alias, Node>): Pair | undefined {
  const own = map.items.find((pair) => isScalar(pair.key) && nameOfKey(pair.key) === name);
  if (own !== undefined) return own;
  for (const pair of map.items) {
    if (!isMergeKey(pair.key)) continue;
    const merged = resolve(nodeOf(pair.value), targets);
    for (const part of isSeq(merged) ? merged.items : [merged]) {
      const source = resolve(nodeOf(part), targets);
      const found = isMap(source) ? findPair(source, name, targets) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function nodeOf(value: unknown): Node | null {
  return isNode(value) ? value : null;
}
