import { isRecord } from "../../values/json.js";

/** A value of a source file, with where it is written. */
export interface SourceNode {
  readonly value: unknown;
  /** As the user would name it. */
  readonly file: string;
  readonly line: number;
  /** The comment above it or behind it; empty without one. */
  readonly comment: string;
  get(key: string | number): SourceNode | null;
  /** Of a list; empty for anything else. */
  items(): readonly SourceNode[];
  /** Of an object; empty for anything else. */
  entries(): readonly (readonly [string, SourceNode])[];
}

/** A node for a value without its own places, such as a row of a CSV file: all of it is at one line. */
export function plainNode(value: unknown, file: string, line: number): SourceNode {
  const inside = (inner: unknown): SourceNode => plainNode(inner, file, line);
  return {
    value,
    file,
    line,
    comment: "",
    get: (key) => {
      if (Array.isArray(value)) return typeof key === "number" && key < value.length ? inside(value[key]) : null;
      return isRecord(value) && Object.hasOwn(value, key) ? inside(value[key]) : null;
    },
    items: () => (Array.isArray(value) ? value.map(inside) : []),
    entries: () => (isRecord(value) ? Object.entries(value).map(([key, inner]) => [key, inside(inner)] as const) : []),
  };
}

/** The string of a node; null if it is not one. */
export function stringOf(node: SourceNode | null): string | null {
  return typeof node?.value === "string" ? node.value : null;
}

/** A finite number, also if it is written as a string; null for anything else. */
export function numberOf(node: SourceNode | null): number | null {
  const value = node?.value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || value.trim() === "") return null;
  const read = Number(value);
  return Number.isFinite(read) ? read : null;
}

/** The nodes of a list, or the one node that is written in its place. */
export function listOf(node: SourceNode | null): readonly SourceNode[] {
  if (node === null || node.value === null) return [];
  return Array.isArray(node.value) ? node.items() : [node];
}
