import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Alias,
  type Node,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { isRecord } from "../../values/json.js";
import { withCounts } from "../../values/plural.js";
import { failure, success, type Result } from "../../result.js";
import { lineEndOf, type TextRange } from "./source-text.js";
import { deepest, type Written, type WrittenEntry } from "./written.js";

/** Something that YAML allows and a config does not. */
export interface YamlProblem {
  range: TextRange;
  message: string;
  hint?: string;
  /** Where else the reader should look; the caller knows the line. */
  related?: TextRange;
}

interface Anchor {
  named: Named;
  size: number;
  finished: boolean;
}

interface Conversion {
  text: string;
  /** The line that was converted last. */
  line: TextRange;
  anchors: Map<string, Anchor>;
  problems: YamlProblem[];
  /** Nodes so far, each alias counted as large as what it stands for. */
  size: number;
  /** How many of them came from aliases. */
  expanded: number;
}

const mostExpanded = 1_000_000;

/**
 * The plain value of a composed document. Does what the library's own conversion does, and in the same walk finds
 * repeated keys, placeholders without quotes, aliases without end, and numbers that would lose digits.
 */
export function toWritten(contents: Node | null, text: string): Result<Written, readonly YamlProblem[]> {
  const conversion: Conversion = {
    text,
    line: { start: 0, end: -1 },
    anchors: new Map(),
    problems: [],
    size: 0,
    expanded: 0,
  };
  const written = convert(contents, conversion, 0);
  return conversion.problems.length > 0 ? failure(conversion.problems) : success(written);
}

function rangeOf(node: unknown): TextRange {
  const [start = 0, end = 0] = isNode(node) ? (node.range ?? []) : [];
  return { start, end };
}

/** The name that a key stands for, as it is written: `1` and `true` are names too. */
function nameOfKey(key: Scalar): string {
  return typeof key.value === "string" ? key.value : (key.source ?? "");
}

/** `<<` as a plain key. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN";
}

function convert(node: unknown, conversion: Conversion, depth: number): Written {
  conversion.size += 1;
  if (isScalar(node)) {
    const written = { value: scalarValue(node, conversion), ...placeOf(node, conversion), parts: null };
    if (node.anchor !== undefined) conversion.anchors.set(node.anchor, { named: written, size: 1, finished: true });
    return written;
  }
  if (isAlias(node)) return { ...resolveAlias(node, conversion), ...placeOf(node, conversion) };
  if (!isMap(node) && !isSeq(node)) return { ...nothing, start: 0, end: 0 };
  const place = placeOf(node, conversion);
  if (depth > deepest) {
    conversion.problems.push({ range: rangeOf(node), message: `Nested deeper than ${deepest} levels` });
    return { ...nothing, ...place };
  }
  const anchor: Anchor = { named: nothing, size: 0, finished: false };
  const sizeBefore = conversion.size;
  if (node.anchor !== undefined) conversion.anchors.set(node.anchor, anchor);
  const named = isSeq(node) ? convertList(node, conversion, depth) : convertMap(node, conversion, depth);
  anchor.named = named;
  anchor.size = conversion.size - sizeBefore + 1;
  anchor.finished = true;
  return { ...named, ...place };
}

type Named = Pick<Written, "value" | "parts">;

const nothing: Named = { value: null, parts: null };

function placeOf(node: Node, { text, line }: Conversion): TextRange {
  const { start, end } = rangeOf(node);
  if (start < line.start || start > line.end) {
    line.start = start;
    line.end = lineEndOf(text, start);
  }
  return { start, end: Math.min(end, line.end) };
}

function resolveAlias(alias: Alias, conversion: Conversion): Named {
  const anchor = conversion.anchors.get(alias.source);
  if (anchor === undefined) {
    conversion.problems.push({
      range: rangeOf(alias),
      message: `Unknown anchor &${alias.source}`,
      hint: `A value that starts with * is a YAML alias. Quote it if it is text: "*${alias.source}"`,
    });
    return nothing;
  }
  if (!anchor.finished) {
    conversion.problems.push({ range: rangeOf(alias), message: `The alias *${alias.source} contains itself` });
    return nothing;
  }
  const wasWithin = conversion.expanded <= mostExpanded;
  conversion.expanded += anchor.size;
  conversion.size += anchor.size;
  if (conversion.expanded <= mostExpanded) return anchor.named;
  if (wasWithin) {
    conversion.problems.push({
      range: rangeOf(alias),
      message: withCounts`Aliases expand to more than ${mostExpanded} values`,
    });
  }
  return nothing;
}

function convertList(list: YAMLSeq, conversion: Conversion, depth: number): Named {
  const items = list.items.map((item) => convert(item, conversion, depth + 1));
  return { value: items.map((item) => item.value), parts: { items } };
}

function convertMap(map: YAMLMap, conversion: Conversion, depth: number): Named {
  const value: Record<string, unknown> = {};
  const entries: WrittenEntry[] = [];
  const seen = new Map<string, unknown>();
  const merged: Written[] = [];
  for (const { key, value: item } of map.items) {
    if (isMergeKey(key)) {
      const source = convert(item, conversion, depth + 1);
      const parts = source.parts !== null && "items" in source.parts ? source.parts.items : [source];
      if (!parts.every((part) => isRecord(part.value))) {
        conversion.problems.push({ range: rangeOf(key), message: "<< must refer to an object or a list of objects" });
      }
      merged.push(...parts.filter((part) => isRecord(part.value)));
      continue;
    }
    const name = keyName(key, map, conversion);
    if (name === null) continue;
    const before = seen.get(name);
    if (before !== undefined) {
      conversion.problems.push({
        range: rangeOf(key),
        message: `Duplicate key "${name}"`,
        related: rangeOf(before),
      });
    }
    seen.set(name, key);
    const written = convert(item, conversion, depth + 1);
    define(value, name, written.value);
    entries.push({ name, ...rangeOf(key), item: written });
  }
  for (const part of merged) {
    for (const [name, item] of Object.entries(part.value ?? {})) {
      if (!Object.hasOwn(value, name)) define(value, name, item);
    }
  }
  return {
    value,
    parts: { entries, merged: merged.flatMap(({ parts }) => (parts !== null && "entries" in parts ? [parts] : [])) },
  };
}

/** Assignment would run the setter of `__proto__`. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[name] = value;
  }
}

function keyName(key: unknown, map: YAMLMap, conversion: Conversion): string | null {
  if (isScalar(key)) {
    if (key.anchor !== undefined)
      conversion.anchors.set(key.anchor, { named: { value: key.value, parts: null }, size: 1, finished: true });
    return nameOfKey(key);
  }
  const outer = rangeOf(map);
  const written = conversion.text.slice(outer.start, outer.end);
  const placeholder = /^\{\{[^{}\n]*\}\}/.exec(written)?.[0];
  conversion.problems.push(
    placeholder === undefined
      ? { range: isMap(key) || isSeq(key) || isAlias(key) ? rangeOf(key) : outer, message: "A key must be a string" }
      : {
          range: { start: outer.start, end: outer.start + placeholder.length },
          message: `${placeholder} without quotes is a YAML object, not a placeholder`,
          hint: `Quote it: "${placeholder}"`,
        },
  );
  return null;
}

function scalarValue(scalar: Scalar, conversion: Conversion): unknown {
  const { value } = scalar;
  if (typeof value !== "number") return typeof value === "bigint" ? Number(value) : value;
  const written = scalar.source ?? String(value);
  if (!Number.isFinite(value)) {
    conversion.problems.push({ range: rangeOf(scalar), message: `${written} is not a number that JSON can carry` });
  } else if (!Number.isSafeInteger(value) && /^[-+]?\d+$/.test(written)) {
    conversion.problems.push({
      range: rangeOf(scalar),
      message: `${written} has more digits than a number can hold`,
      hint: `Quote it to keep every digit: "${written}"; in a matcher, write {$integer: "${written}"}`,
    });
  }
  return value;
}
