import { failure, success, type Result } from "../../result.js";
import { plural } from "../../values/plural.js";
import { preview, renderPath } from "../../values/preview.js";
import { describeDifference } from "../similarity/describe-difference.js";
import { rougeL } from "../similarity/rouge-l.js";
import { parseAnswerJson } from "../text/parse-answer-json.js";
import { compareFields, type FieldDifference } from "./compare-fields.js";
import { hasContent, parseFieldPath, selectField, type FieldPath } from "./select-field.js";

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
    fields: compared.reduce((sum, { fields }) => sum + fields, 0),
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
