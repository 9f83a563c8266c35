import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Alias,
  type Document,
  type Node,
  type ParsedNode,
  type YAMLMap,
} from "yaml";
import { attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { failure, success, type Result } from "../../result.js";
import type { SourceNode } from "./source-node.js";

/** Why a file is not read, and the line. */
export interface YamlMistake {
  message: string;
  line: number;
}

/** Aliases of aliases can stand for more values than memory holds. */
const mostNodes = 1_000_000;
const deepest = 100;

/** Reads YAML or JSON with its comments and lines. Merge keys (`<<`) and aliases are resolved. */
export function readYaml(text: string, file: string): Result<SourceNode, YamlMistake> {
  const lines = new LineCounter();
  const open = /(?:[[{]\s*){200}|(?:[-?:][ \t]+){200}|^ {400}/m.test(text);
  if (open) return failure({ message: "it is nested too deeply", line: 1 });
  const parsed = attemptSync(
    () => parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false, uniqueKeys: false }),
    (cause) => ({ message: messageOf(cause), line: 1 }),
  );
  if (!parsed.success) return parsed;
  const [mistake] = parsed.data.errors;
  if (mistake !== undefined) {
    return failure({ message: mistake.message.split("\n")[0] ?? "", line: lines.linePos(mistake.pos[0]).line });
  }
  const reader = new TreeReader(parsed.data, lines, file);
  const root = reader.read();
  return reader.problem === null ? success(root) : failure({ message: reader.problem, line: 1 });
}

class TreeReader {
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;
  readonly #file: string;
  /** What aliases stand for: to find it is to go through the document, and an alias in a list of aliases comes often. */
  readonly #targets = new Map<Alias, Node | undefined>();
  #count = 0;
  /** Why the values are not those of the file. */
  problem: string | null = null;

  constructor(document: Document.Parsed, lines: LineCounter, file: string) {
    this.#document = document;
    this.#lines = lines;
    this.#file = file;
  }

  read(): SourceNode {
    const { contents, commentBefore } = this.#document;
    return this.#node(contents, commentBefore ?? "", 0);
  }

  #node(node: Node | ParsedNode | null, before: string, depth: number): SourceNode {
    if (this.problem !== null) return this.#refuse(this.problem);
    this.#count += 1;
    if (this.#count > mostNodes) return this.#refuse("its aliases stand for too many values");
    if (depth > deepest) return this.#refuse(`it is nested deeper than ${deepest} levels`);
    if (isAlias(node)) {
      const target = this.#targetOf(node);
      if (target === undefined) return this.#refuse(`the alias *${node.source} has no anchor`);
      return this.#node(target, before, depth + 1);
    }
    const line = this.#lines.linePos(node?.range?.[0] ?? 0).line;
    // A comment above a list of objects belongs to the first key of the first of them.
    const comment = [before, node?.commentBefore, isScalar(node) ? node.comment : null].filter(Boolean).join("\n");
    if (isSeq(node)) {
      // The library gives a comment above the first item to the list.
      const first = node.commentBefore ?? "";
      const items = node.items.map((item, index) => this.#node(nodeIn(item), index === 0 ? first : "", depth + 1));
      return new TreeNode(
        items.map(({ value }) => value),
        this.#file,
        line,
        comment,
        items,
        null,
      );
    }
    if (isMap(node)) {
      const children = this.#entries(node, depth);
      const value = Object.fromEntries([...children].map(([key, child]) => [key, child.value]));
      return new TreeNode(value, this.#file, line, comment, null, children);
    }
    const value = isScalar(node) ? node.value : null;
    return new TreeNode(value, this.#file, line, comment, null, null);
  }

  #targetOf(alias: Alias): Node | undefined {
    if (!this.#targets.has(alias)) this.#targets.set(alias, alias.resolve(this.#document));
    return this.#targets.get(alias);
  }

  #refuse(problem: string): SourceNode {
    this.problem ??= problem;
    return new TreeNode(null, this.#file, 1, "", null, null);
  }

  #entries(map: YAMLMap, depth: number): Map<string, SourceNode> {
    const children = new Map<string, SourceNode>();
    for (const { key, value } of map.items) {
      const isMerge = isScalar(key) && (key.value === "<<" || typeof key.value === "symbol");
      if (isMerge) {
        const merged = this.#node(nodeIn(value), "", depth + 1);
        const sources = Array.isArray(merged.value) ? merged.items() : [merged];
        for (const [name, child] of sources.flatMap((source) => source.entries())) {
          if (!children.has(name)) children.set(name, child);
        }
        continue;
      }
      const before = isScalar(key) ? (key.commentBefore ?? "") : "";
      const name = isScalar(key) ? String(key.value) : JSON.stringify(key);
      const child = this.#node(nodeIn(value), before, depth + 1);
      children.set(name, child);
    }
    return children;
  }
}

/** What a parsed list or object holds. */
const nodeIn = (value: unknown): Node | null => (isNode(value) ? value : null);

class TreeNode implements SourceNode {
  readonly value: unknown;
  readonly file: string;
  readonly line: number;
  readonly comment: string;
  readonly #items: readonly SourceNode[] | null;
  readonly #children: ReadonlyMap<string, SourceNode> | null;

  constructor(
    value: unknown,
    file: string,
    line: number,
    comment: string,
    items: readonly SourceNode[] | null,
    children: ReadonlyMap<string, SourceNode> | null,
  ) {
    this.value = value;
    this.file = file;
    this.line = line;
    this.comment = comment;
    this.#items = items;
    this.#children = children;
  }

  get(key: string | number): SourceNode | null {
    return typeof key === "number" ? (this.#items?.[key] ?? null) : (this.#children?.get(key) ?? null);
  }

  items(): readonly SourceNode[] {
    return this.#items ?? [];
  }

  entries(): readonly (readonly [string, SourceNode])[] {
    return [...(this.#children ?? [])];
  }
}
