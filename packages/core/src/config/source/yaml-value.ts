import { isAlias, isMap, isNode, isScalar, isSeq, type Alias, type Node, type Scalar, type YAMLMap } from "yaml";
import { isRecord } from "../../values/json.js";
import type { TextRange } from "./source-text.js";

/** Something that YAML allows and a config does not. */
export interface YamlProblem {
  range: TextRange;
  message: string;
  hint?: string;
  /** Where else the reader should look; the caller knows the line. */
  related?: TextRange;
}

export interface YamlValue {
  value: unknown;
  /** What each alias stands for. */
  targets: ReadonlyMap<Alias, Node>;
  problems: readonly YamlProblem[];
}

interface Anchor {
  node: Node;
  value: unknown;
  size: number;
  finished: boolean;
}

interface Conversion {
  text: string;
  anchors: Map<string, Anchor>;
  targets: Map<Alias, Node>;
  problems: YamlProblem[];
  /** Nodes so far, each alias counted as large as what it stands for. */
  size: number;
  /** How many of them came from aliases. */
  expanded: number;
}

const mostExpanded = 1_000_000;
const deepest = 200;

/**
 * The plain value of a composed document. Does what the library's own conversion does, and in the same walk finds
 * repeated keys, placeholders without quotes, aliases without end, and numbers that would lose digits.
 */
export function toYamlValue(contents: Node | null, text: string): YamlValue {
  const conversion: Conversion = {
    text,
    anchors: new Map(),
    targets: new Map(),
    problems: [],
    size: 0,
    expanded: 0,
  };
  const value = convert(contents, conversion, 0);
  return { value, targets: conversion.targets, problems: conversion.problems };
}

export function rangeOf(node: unknown): TextRange {
  const [start = 0, end = 0] = isNode(node) ? (node.range ?? []) : [];
  return { start, end };
}

/** The name that a key stands for, as it is written: `1` and `true` are names too. */
export function nameOfKey(key: Scalar): string {
  return typeof key.value === "string" ? key.value : (key.source ?? "");
}

/** `<<` as a plain key. */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN";
}

function convert(node: unknown, conversion: Conversion, depth: number): unknown {
  conversion.size += 1;
  if (isScalar(node)) {
    const value = scalarValue(node, conversion);
    if (node.anchor !== undefined) {
      conversion.anchors.set(node.anchor, { node, value, size: 1, finished: true });
    }
    return value;
  }
  if (isAlias(node)) return convertAlias(node, conversion);
  if (!isMap(node) && !isSeq(node)) return null;
  if (depth > deepest) {
    conversion.problems.push({ range: rangeOf(node), message: `Nested deeper than ${deepest} levels` });
    return null;
  }
  const list: unknown[] = [];
  const mapping: Record<string, unknown> = {};
  const value = isSeq(node) ? list : mapping;
  const anchor: Anchor = { node, value, size: 0, finished: false };
  const sizeBefore = conversion.size;
  if (node.anchor !== undefined) conversion.anchors.set(node.anchor, anchor);
  if (isSeq(node)) for (const item of node.items) list.push(convert(item, conversion, depth + 1));
  else fillMap(node, mapping, conversion, depth);
  anchor.size = conversion.size - sizeBefore + 1;
  anchor.finished = true;
  return value;
}

function convertAlias(alias: Alias, conversion: Conversion): unknown {
  const anchor = conversion.anchors.get(alias.source);
  if (anchor === undefined) {
    conversion.problems.push({
      range: rangeOf(alias),
      message: `Nothing is named by the anchor &${alias.source}`,
      hint: `A value that starts with * is a YAML alias. Quote it if it is text: "*${alias.source}"`,
    });
    return null;
  }
  if (!anchor.finished) {
    conversion.problems.push({ range: rangeOf(alias), message: `The alias *${alias.source} contains itself` });
    return null;
  }
  conversion.targets.set(alias, anchor.node);
  const wasWithin = conversion.expanded <= mostExpanded;
  conversion.expanded += anchor.size;
  conversion.size += anchor.size;
  if (conversion.expanded <= mostExpanded) return anchor.value;
  if (wasWithin) {
    conversion.problems.push({
      range: rangeOf(alias),
      message: `Aliases expand to more than ${mostExpanded.toLocaleString("en-US")} values`,
    });
  }
  return null;
}

function fillMap(map: YAMLMap, value: Record<string, unknown>, conversion: Conversion, depth: number): void {
  const seen = new Map<string, unknown>();
  const merged: Record<string, unknown>[] = [];
  for (const { key, value: item } of map.items) {
    if (isMergeKey(key)) {
      const source = convert(item, conversion, depth + 1);
      const parts: readonly unknown[] = Array.isArray(source) ? source : [source];
      if (!parts.every(isRecord)) {
        conversion.problems.push({ range: rangeOf(key), message: "<< must name a mapping or a list of them" });
      }
      merged.push(...parts.filter(isRecord));
      continue;
    }
    const name = keyName(key, map, conversion);
    if (name === null) continue;
    const before = seen.get(name);
    if (before !== undefined) {
      conversion.problems.push({
        range: rangeOf(key),
        message: `The key "${name}" is written twice`,
        related: rangeOf(before),
      });
    }
    seen.set(name, key);
    define(value, name, convert(item, conversion, depth + 1));
  }
  for (const part of merged) {
    for (const [name, item] of Object.entries(part)) if (!Object.hasOwn(value, name)) define(value, name, item);
  }
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
      conversion.anchors.set(key.anchor, { node: key, value: key.value, size: 1, finished: true });
    return nameOfKey(key);
  }
  const outer = rangeOf(map);
  const written = conversion.text.slice(outer.start, outer.end);
  const placeholder = /^\{\{[^{}\n]*\}\}/.exec(written)?.[0];
  conversion.problems.push(
    placeholder === undefined
      ? { range: isMap(key) || isSeq(key) || isAlias(key) ? rangeOf(key) : outer, message: "A key must be a text" }
      : {
          range: { start: outer.start, end: outer.start + placeholder.length },
          message: `${placeholder} without quotes is a YAML mapping, not a placeholder`,
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
      hint: `Quote it to keep every digit: "${written}"`,
    });
  }
  return value;
}
