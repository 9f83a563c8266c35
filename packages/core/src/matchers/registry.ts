import type { MatcherOperator } from "./operator.js";
import { all_of, exact, literal, not, one_of } from "./operators/logic.js";
import { every, includes, keys, length, unordered } from "./operators/members.js";
import { approx, gt, gte, integer, lt, lte } from "./operators/numbers.js";
import { absent, any, optional } from "./operators/presence.js";
import { date, schema, type } from "./operators/shapes.js";
import { contains, ends_with, ignore_case, normalized, regex, starts_with } from "./operators/text.js";

/** All operators by name, in the order of the docs: presence, logic, strings, numbers, lists and objects, types. A new one is a line here. */
export const operators: Readonly<Record<string, MatcherOperator>> = {
  $any: any,
  $absent: absent,
  $optional: optional,
  $one_of: one_of,
  $all_of: all_of,
  $not: not,
  $regex: regex,
  $contains: contains,
  $starts_with: starts_with,
  $ends_with: ends_with,
  $ignore_case: ignore_case,
  $normalized: normalized,
  $date: date,
  $gt: gt,
  $gte: gte,
  $lt: lt,
  $lte: lte,
  $approx: approx,
  $integer: integer,
  $length: length,
  $unordered: unordered,
  $includes: includes,
  $every: every,
  $keys: keys,
  $exact: exact,
  $type: type,
  $schema: schema,
  $literal: literal,
};

/** The operator that each modifier belongs to. */
export const modifierOwners: ReadonlyMap<string, string> = new Map(
  Object.entries(operators).flatMap(([name, operator]) =>
    Object.keys(operator.modifiers ?? {}).map((modifier): [string, string] => [modifier, name]),
  ),
);
