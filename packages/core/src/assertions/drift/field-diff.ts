import { failure, success, type Result } from "../../result.js";
import { plural } from "../../values/plural.js";
import { preview, renderPath } from "../../values/preview.js";
import { describeDifference } from "../similarity/describe-difference.js";
import { rougeL } from "../similarity/rouge-l.js";
import { parseAnswerJson } from "../text/parse-answer-json.js";
import { hasContent, parseFieldPath, selectField, type FieldPath } from "./select-field.js";
import { isRecord } from "../../values/json.js";
import { commonEnds } from "../similarity/common-ends.js";

export interface Drifted {
  /** From 0 for the same to 1. */
  distance: number;
  /** Where the answers differ, as a clause; null where they do not. */
  where: string | null;
}

const shownDifferences = 5;

/**
 * How far an answer is from that of the baseline: for JSON the share of leaf fields that differ, for any other text the
 * share of words that are not in common, in their order (1 less ROUGE-L). Fails with the reason if that cannot be determined.
 */
export function fieldDiff(before: string, after: string, fields: readonly string[] | null): Result<Drifted, string> {
  const [old, now] = [structureOf(before), structureOf(after)];
  if (old === null && fields !== null) {
    return failure("the baseline's answer is not a JSON object or list, so it has no fields to compare");
  }
  if (old === null) return wordDiff(before, after);
  if (now === null) {
    return success({ distance: 1, where: `the answer is no longer a JSON object or list: ${preview(after)}` });
  }
  if (fields === null) return success(toDrift(compareFields(old, now)));
  const paths = fields.map((written) => ({ written, path: parseFieldPath(written) }));
  const selected: FieldPath[] = [];
  for (const { written, path } of paths) {
    if (!path.success) return failure(path.error);
    if (![old, now].some((value) => hasContent(selectField(value, path.data)))) {
      return failure(`neither answer has the field "${written}", so nothing of it can be compared`);
    }
    selected.push(path.data);
  }
  return success(toDrift(compareSelected(old, now, selected)));
}

/** A leaf that several of the paths lead to counts once. */
function compareSelected(
  before: unknown,
  after: unknown,
  paths: readonly FieldPath[],
): ReturnType<typeof compareFields> {
  const written = [...new Map(paths.map((path) => [JSON.stringify(path.map(String)), path])).values()];
  const apart = written.filter((path) => !written.some((other) => other !== path && isWithin(path, other)));
  const compared = apart.map((path) => compareFields(selectField(before, path), selectField(after, path)));
  return {
    fields: compared.reduce((total, { fields }) => total + fields, 0),
    differences: compared.flatMap(({ differences }) => differences),
  };
}

function isWithin(inner: FieldPath, outer: FieldPath): boolean {
  return outer.length <= inner.length && outer.every((step, index) => step === "*" || `${step}` === `${inner[index]}`);
}

/** Numbers and single words are JSON as well, but they have no fields. */
function structureOf(answer: string): object | null {
  const parsed = parseAnswerJson(answer, false);
  return parsed.success && typeof parsed.data === "object" ? parsed.data : null;
}

function wordDiff(before: string, after: string): Result<Drifted, string> {
  const likeness = rougeL(before, after, true);
  if (!likeness.success) return likeness;
  const distance = 1 - likeness.data;
  return success({ distance, where: distance === 0 ? null : describeDifference(before, after, true) });
}

function toDrift({ fields, differences }: ReturnType<typeof compareFields>): Drifted {
  if (fields === 0 || differences.length === 0) return { distance: 0, where: null };
  const shown = differences.slice(0, shownDifferences).map(describeField).join("; ");
  const more = differences.length - shownDifferences;
  const count = `${differences.length} of ${plural(fields, "field")} ${differences.length === 1 ? "differs" : "differ"}`;
  return {
    distance: differences.length / fields,
    where: `${count}: ${shown}${more > 0 ? ` (and ${more} more)` : ""}`,
  };
}

function describeField({ path, before, after }: FieldDifference): string {
  const name = renderPath(path);
  const field = name === "" ? "the answer" : name;
  if (after === undefined) return `${field} is gone, was ${preview(before, 40)}`;
  if (before === undefined) return `${field} is new, ${preview(after, 40)}`;
  return `${field} is ${preview(after, 40)}, was ${preview(before, 40)}`;
}

type Path = readonly (string | number)[];

/** A leaf that is not on both sides the same; undefined where one side lacks it. */
interface FieldDifference {
  path: Path;
  before: unknown;
  after: unknown;
}

interface FieldComparison {
  /** Leaves of either side. */
  fields: number;
  differences: readonly FieldDifference[];
}

/**
 * Compares two JSON values leaf by leaf; an empty list or mapping is a leaf too. Lists are aligned at both ends first,
 * so that an element put in or taken out is one difference and not one of all that come behind it. Maps are taken for
 * mappings.
 */
function compareFields(before: unknown, after: unknown): FieldComparison {
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
