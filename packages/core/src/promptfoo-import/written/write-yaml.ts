import { Document, isMap, isScalar, isSeq, Pair, Scalar, YAMLMap, YAMLSeq, type Node } from "yaml";

/** A value of the written config with the comment above it. */
class Noted {
  readonly value: unknown;
  readonly comments: readonly string[];

  constructor(value: unknown, comments: readonly string[]) {
    this.value = value;
    this.comments = comments;
  }
}

/** The value with comments above it, if there are any. */
export function noted(value: unknown, comments: readonly string[]): unknown {
  const said = comments.filter((comment) => comment.trim() !== "");
  return said.length === 0 ? value : new Noted(value, said);
}

/** The value without its comments. */
export function bare(value: unknown): unknown {
  if (value instanceof Noted) return bare(value.value);
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bare(inner)]));
}

const columns = 100;
/** Lists of these names hold what a person reads one by one, and so does an object in them. */
const openLists: ReadonlySet<string> = new Set(["suites", "tests"]);

/** The text of a config. Short objects are on one line, as people write them. */
export function writeYaml(config: Readonly<Record<string, unknown>>, header: readonly string[]): string {
  const document = new Document<Node>();
  document.contents = nodeOf(config, "", 0, true);
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: true });
  return `${header.map((line) => `# ${line}\n`).join("")}${text}`;
}

function nodeOf(value: unknown, key: string, indent: number, isOpen = false): Node {
  if (value instanceof Noted) return withComment(nodeOf(value.value, key, indent, isOpen), value.comments);
  if (Array.isArray(value)) return listOf(value, key, indent);
  if (typeof value !== "object" || value === null) return scalarOf(value);
  const map = new YAMLMap();
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const keyNode = scalarOf(name);
    const innerNode = nodeOf(inner, name, indent + 2);
    keyNode.commentBefore = innerNode.commentBefore ?? null;
    innerNode.commentBefore = null;
    map.items.push(new Pair(keyNode, innerNode));
  }
  map.flow = map.items.length === 0 || (!isOpen && fits(map, indent + key.length + 2));
  return map;
}

function listOf(value: readonly unknown[], key: string, indent: number): Node {
  const list = new YAMLSeq<Node>();
  for (const inner of value) list.items.push(nodeOf(inner, key, indent + 2, openLists.has(key)));
  const holdsObjects = list.items.some((item) => isMap(item) || isSeq(item));
  const canBeInline = !holdsObjects || (inline.has(key) && !openLists.has(key));
  list.flow = list.items.length === 0 || (canBeInline && fits(list, indent + key.length + 2));
  return list;
}

/** Lists of objects that are part of one thought. */
const inline: ReadonlySet<string> = new Set(["any_of", "of", "all_of", "calls", "tools"]);

function scalarOf(value: unknown): Scalar {
  const scalar = new Scalar(value);
  if (typeof value === "string" && value.includes("\n") && !/[\r\t\0]/.test(value)) scalar.type = "BLOCK_LITERAL";
  return scalar;
}

function withComment(node: Node, comments: readonly string[]): Node {
  const lines = comments.flatMap((comment) => comment.split(/\r\n?|\n/)).map((line) => ` ${line.trim()}`);
  const own = node.commentBefore;
  node.commentBefore = [...lines, ...(hasComment(own) ? [own] : [])].join("\n");
  return node;
}

/** Whether it can be on one line: it is short, and nothing in it has a comment or several lines. */
function fits(node: YAMLMap | YAMLSeq, indent: number): boolean {
  const width = widthOf(node);
  return width !== null && width + indent <= columns;
}

function widthOf(node: unknown): number | null {
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  if (hasComment(node.commentBefore)) return null;
  if (isScalar(node)) return node.type === "BLOCK_LITERAL" ? null : JSON.stringify(node.value ?? null).length;
  const parts = isMap(node)
    ? node.items.flatMap((pair) => [widthOf(pair.key), widthOf(pair.value)])
    : node.items.map(widthOf);
  let sum = 4;
  for (const part of parts) {
    if (part === null) return null;
    sum += part + 2;
  }
  return sum;
}

const hasComment = (comment: string | null | undefined): comment is string =>
  comment !== undefined && comment !== null && comment !== "";
