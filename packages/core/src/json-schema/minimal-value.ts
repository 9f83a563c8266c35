import { attemptSync } from "../errors/boundary.js";
import { isRecord, type JsonObject, type JsonValue } from "../values/json.js";
import { compileSchema } from "./compile-schema.js";
import { mergeSchemas } from "./merge-schemas.js";
import { minimalText } from "./minimal-text.js";

/** How many ways are tried. */
const mostTries = 40;
const deepest = 24;
/** How many values a value may be made of: a schema may ask for a billion entries. */
const mostParts = 2_000;

/**
 * A small value that is valid for a JSON Schema: what is required and nothing else, the first of several choices, strings
 * of one character, numbers at their bound. Null where none of the ways that are tried gives one, such as for a pattern
 * with a look-ahead. What is found has been validated.
 */
export function minimalValue(schema: JsonObject): { value: JsonValue } | null {
  const compiled = compileSchema(schema);
  if (!compiled.success) return null;
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    const made = attemptSync(
      () => make(schema, { root: schema, attempt, salt: 0, depth: 0, left: { parts: mostParts } }),
      () => null,
    );
    const value = made.success ? made.data : undefined;
    if (value === undefined) continue;
    const valid = attemptSync(
      () => compiled.data.validate(value).length === 0,
      () => false,
    );
    if (valid.success && valid.data) return { value };
  }
  return null;
}

interface Making {
  root: JsonObject;
  /** Which of several choices are made. */
  attempt: number;
  /** Makes the entries of a list differ. */
  salt: number;
  depth: number;
  /** How many values may still be made. */
  left: { parts: number };
}

/** Undefined where nothing can be valid. */
function make(schema: JsonValue | undefined, making: Making): JsonValue | undefined {
  if (schema === false) return undefined;
  making.left.parts -= 1;
  if (making.depth > deepest || making.left.parts < 0) return undefined;
  if (schema === undefined || !isObject(schema)) return "a";
  const inner = { ...making, depth: making.depth + 1 };
  const simpler = simplified(schema, inner);
  if (simpler !== schema) return make(simpler, inner);
  const { attempt, salt } = making;
  const { const: only, enum: listed, default: standard, examples } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(listed)) return listed[(attempt + salt) % listed.length];
  // What the author thought of may be valid where nothing made up is.
  const told = [...(standard === undefined ? [] : [standard]), ...(isList(examples) ? examples : [])];
  if (told.length > 0 && attempt >= mostTries / 2) return told[attempt % told.length];
  return makeOfType(typeOf(schema, attempt), schema, inner);
}

/** The schema without one of the keys that stand for other schemas; the same one where there is none. */
function simplified(schema: JsonObject, { attempt, root }: Making): JsonValue {
  if (typeof schema["$ref"] === "string") {
    const { $ref: reference, ...own } = schema;
    const target = resolve(reference, root);
    return target !== undefined && isObject(target) ? mergeSchemas(target, own) : (target ?? false);
  }
  for (const key of ["allOf", "anyOf", "oneOf"] as const) {
    const { [key]: parts, ...own } = schema;
    if (isList(parts)) return joined(own, key === "allOf" ? parts : [parts[attempt % parts.length]], root);
  }
  const { if: condition, then, else: otherwise, ...own } = schema;
  if (condition === undefined) return schema;
  return joined(own, attempt % 2 === 1 ? [condition, then] : [otherwise], root);
}

function makeOfType(type: string, schema: JsonObject, making: Making): JsonValue | undefined {
  switch (type) {
    case "object":
      return makeObject(schema, making);
    case "array":
      return makeList(schema, making);
    case "integer":
    case "number":
      return minimalNumber(schema, type === "integer", making.salt);
    case "boolean":
      return making.salt % 2 === 1;
    case "null":
      return null;
    default:
      return minimalText(schema, making);
  }
}

function typeOf({ type, ...schema }: JsonObject, attempt: number): string {
  const types = [type].flat().filter((one) => typeof one === "string");
  if (types.length > 0) return types[attempt % types.length] ?? "string";
  const has = (...keys: readonly string[]): boolean => keys.some((key) => key in schema);
  if (has("properties", "required", "additionalProperties", "minProperties", "patternProperties")) return "object";
  if (has("items", "prefixItems", "minItems", "contains", "uniqueItems")) return "array";
  return has("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum") ? "number" : "string";
}

function makeObject(schema: JsonObject, making: Making): JsonValue | undefined {
  const properties = objectIn(schema["properties"]);
  const needs = objectIn(schema["dependentRequired"]);
  const names = new Set(textsIn(schema["required"]));
  for (const name of names) for (const needed of textsIn(needs[name])) names.add(needed);
  const least = numberIn(schema["minProperties"]) ?? 0;
  if (least > making.left.parts) return undefined;
  for (const name of Object.keys(properties)) if (names.size < least) names.add(name);
  for (let number = 1; names.size < least && number <= least * 2; number += 1) {
    const name = make(schema["propertyNames"], { ...making, salt: number });
    names.add(typeof name === "string" && name !== "a" ? name : `a${number}`);
  }
  const entries: [string, JsonValue][] = [];
  for (const name of names) {
    const value = make(Object.hasOwn(properties, name) ? properties[name] : otherProperty(schema, name), making);
    if (value === undefined) return undefined;
    entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

function otherProperty(schema: JsonObject, name: string): JsonValue | undefined {
  const byPattern = Object.entries(objectIn(schema["patternProperties"]));
  return byPattern.find(([pattern]) => new RegExp(pattern).test(name))?.[1] ?? schema["additionalProperties"];
}

function makeList(schema: JsonObject, making: Making): JsonValue | undefined {
  const { items, prefixItems, additionalItems, contains } = schema;
  // Draft 7 has the first entries in `items`, later drafts in `prefixItems`.
  const first = [prefixItems, items].find(isList) ?? [];
  const rest = Array.isArray(items) ? additionalItems : items;
  const wanted = contains === undefined ? 0 : (numberIn(schema["minContains"]) ?? 1);
  const least = Math.max(numberIn(schema["minItems"]) ?? 0, wanted);
  if (least > making.left.parts) return undefined;
  const made: JsonValue[] = [];
  for (let index = 0; index < least; index += 1) {
    const own = first[index] ?? rest ?? true;
    const both = index >= least - wanted ? joined({}, [own, contains ?? true], making.root) : own;
    const value = make(both, { ...making, salt: making.salt + index });
    if (value === undefined) return undefined;
    made.push(value);
  }
  return made;
}

function joined(base: JsonObject, parts: readonly (JsonValue | undefined)[], root: JsonObject): JsonValue {
  let all = base;
  for (const part of parts) {
    if (part === false) return false;
    if (part === undefined || !isObject(part)) continue;
    const { $ref: reference, ...own } = part;
    const target = typeof reference === "string" ? resolve(reference, root) : undefined;
    all = mergeSchemas(all, target !== undefined && isObject(target) ? mergeSchemas(target, own) : own);
  }
  return all;
}

/** What a pointer within the schema points at. */
function resolve(reference: JsonValue, root: JsonObject): JsonValue | undefined {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let value: JsonValue | undefined = root;
  for (const step of decodeURIComponent(reference.slice(2)).split("/")) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    value = Array.isArray(value) ? value[Number(key)] : value !== undefined && isObject(value) ? value[key] : undefined;
  }
  return value;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value);
}

function isList(value: JsonValue | undefined): value is JsonValue[] {
  return Array.isArray(value);
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Zero, or what is nearest to it within the bounds of a schema of numbers. `salt` makes the entries of a list differ. */
function minimalNumber(schema: JsonObject, isWhole: boolean, salt: number): number {
  const step = numberIn(schema["multipleOf"]) ?? (isWhole ? 1 : null);
  const { least, most } = boundsOf(schema, step);
  const start = nearestToZero(least, most);
  if (step === null) return start + salt * (most >= start + salt ? 1 : (most - start) / 1_000);
  const grid = isWhole && !Number.isInteger(step) ? 1 : step;
  const onGrid = (most < 0 ? Math.floor(start / step) : Math.ceil(start / step)) * grid;
  return onGrid + salt * (onGrid + salt * grid > most ? -grid : grid);
}

function boundsOf(schema: JsonObject, step: number | null): { least: number; most: number } {
  const above = numberIn(schema["exclusiveMinimum"]) ?? Number.NEGATIVE_INFINITY;
  const below = numberIn(schema["exclusiveMaximum"]) ?? Number.POSITIVE_INFINITY;
  // Half the way to the other bound, or one.
  const gap = step ?? (Number.isFinite(below - above) ? (below - above) / 2 : 1);
  return {
    least: numberIn(schema["minimum"]) ?? above + gap,
    most: numberIn(schema["maximum"]) ?? below - gap,
  };
}

function nearestToZero(least: number, most: number): number {
  if (least > 0) return least;
  return Math.min(most, 0);
}

function numberIn(value: JsonValue | undefined): number | null {
  return typeof value === "number" ? value : null;
}
