import { isRecord } from "../../values/json.js";
import { commonEnds } from "../similarity/common-ends.js";

type Path = readonly (string | number)[];

/** A leaf that is not on both sides the same; undefined where one side lacks it. */
export interface FieldDifference {
  path: Path;
  before: unknown;
  after: unknown;
}

export interface FieldComparison {
  /** Leaves of either side. */
  fields: number;
  differences: readonly FieldDifference[];
}

/**
 * Compares two JSON values leaf by leaf; an empty list or mapping is a leaf too. Lists are aligned at both ends first,
 * so that an element put in or taken out is one difference and not one of all that come behind it. Maps are taken for
 * mappings.
 */
export function compareFields(before: unknown, after: unknown): FieldComparison {
  const differences: FieldDifference[] = [];
  const fields = compare(before, after, [], differences);
  return { fields, differences };
}

/** The number of leaves of either side; adds those that differ. */
function compare(before: unknown, after: unknown, path: Path, differences: FieldDifference[]): number {
  if (Array.isArray(before) && Array.isArray(after) && before.length + after.length > 0) {
    return compareLists(before, after, path, differences);
  }
  const [first, second] = [entriesOf(before), entriesOf(after)];
  if (first !== null && second !== null && first.size + second.size > 0) {
    const keys = new Set([...first.keys(), ...second.keys()]);
    return sum([...keys].map((key) => compare(first.get(key), second.get(key), [...path, key], differences)));
  }
  if (isLeaf(before) && isLeaf(after)) {
    if (before === undefined && after === undefined) return 0;
    if (!isSame(before, after)) differences.push({ path, before, after });
    return 1;
  }
  return addAll(before, path, differences, "before") + addAll(after, path, differences, "after");
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: Path,
  differences: FieldDifference[],
): number {
  const { prefix, suffix } = commonEnds(before.length, after.length, (a, b) => isSame(before[a], after[b]));
  let fields = 0;
  for (const [index, item] of before.entries()) {
    if (index < prefix || index >= before.length - suffix) fields += countLeaves(item);
  }
  const changed = Math.max(before.length, after.length) - prefix - suffix;
  for (let index = prefix; index < prefix + changed; index += 1) {
    const first = index < before.length - suffix ? before[index] : undefined;
    const second = index < after.length - suffix ? after[index] : undefined;
    fields += compare(first, second, [...path, index], differences);
  }
  return fields;
}

/** What is on one side alone. */
function addAll(value: unknown, path: Path, differences: FieldDifference[], side: "before" | "after"): number {
  const entries = Array.isArray(value) ? new Map(value.entries()) : entriesOf(value);
  if (entries !== null && entries.size > 0) {
    return sum([...entries].map(([key, item]) => addAll(item, [...path, key], differences, side)));
  }
  if (value === undefined) return 0;
  differences.push({ path, before: undefined, after: undefined, [side]: value });
  return 1;
}

function countLeaves(value: unknown): number {
  if (value === undefined) return 0;
  const items = Array.isArray(value) ? value : [...(entriesOf(value)?.values() ?? [])];
  return items.length === 0 ? 1 : sum(items.map(countLeaves));
}

function isSame(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length && before.every((item, index) => isSame(item, after[index]));
  }
  const [first, second] = [entriesOf(before), entriesOf(after)];
  if (first === null || second === null) return before === after;
  return (
    first.size === second.size && [...first].every(([key, item]) => second.has(key) && isSame(item, second.get(key)))
  );
}

function isLeaf(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : (entriesOf(value)?.size ?? 0) === 0;
}

function entriesOf(value: unknown): ReadonlyMap<string | number, unknown> | null {
  if (value instanceof Map) return value;
  return isRecord(value) ? new Map(Object.entries(value)) : null;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
