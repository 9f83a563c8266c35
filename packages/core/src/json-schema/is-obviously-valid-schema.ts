import { isRecord } from "../values/json.js";
import { compilePattern } from "./create-ajv.js";

type Test = (value: unknown) => boolean;

const typeNames: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

const isText: Test = (value) => typeof value === "string";
const isFlag: Test = (value) => typeof value === "boolean";
const isNumber: Test = (value) => typeof value === "number";
const isCount: Test = (value) => Number.isInteger(value) && Number(value) >= 0;
const isTexts: Test = (value) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isSchemas: Test = (value) => Array.isArray(value) && value.length > 0 && value.every(isObviouslyValidSchema);
const isSchemaMap: Test = (value) => isRecord(value) && Object.values(value).every(isObviouslyValidSchema);
const isType: Test = (value) =>
  Array.isArray(value)
    ? value.length > 0 && new Set(value).size === value.length && value.every((name) => typeNames.has(name))
    : typeNames.has(value);
const isChoice: Test = (value) =>
  Array.isArray(value) && value.length > 0 && new Set(value).size === value.length && !value.some(isCompound);
const isCompound: Test = (value) => typeof value === "object" && value !== null;
const isAnything: Test = () => true;

/** The keywords that schemas in practice are made of, with a form that is valid in every draft. */
const keywords: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["type", isType],
  ["properties", isSchemaMap],
  ["patternProperties", isSchemaMap],
  ["definitions", isSchemaMap],
  ["$defs", isSchemaMap],
  ["additionalProperties", isObviouslyValidSchema],
  ["propertyNames", isObviouslyValidSchema],
  ["items", isObviouslyValidSchema],
  ["contains", isObviouslyValidSchema],
  ["$ref", (value) => isText(value) && /^#[\w/$.~-]*$/.test(String(value))],
  ["$id", (value) => isText(value) && /^https?:\/\/[\w./-]+$/.test(String(value))],
  ["$comment", isText],
  ["not", isObviouslyValidSchema],
  ["if", isObviouslyValidSchema],
  ["then", isObviouslyValidSchema],
  ["else", isObviouslyValidSchema],
  ["allOf", isSchemas],
  ["anyOf", isSchemas],
  ["oneOf", isSchemas],
  ["required", isTexts],
  ["enum", isChoice],
  ["const", isAnything],
  ["default", isAnything],
  ["examples", (value) => Array.isArray(value)],
  ["title", isText],
  ["description", isText],
  ["format", isText],
  ["pattern", isText],
  ["uniqueItems", isFlag],
  ["readOnly", isFlag],
  ["minimum", isNumber],
  ["maximum", isNumber],
  ["exclusiveMinimum", isNumber],
  ["exclusiveMaximum", isNumber],
  ["multipleOf", (value) => isNumber(value) && Number(value) > 0],
  ["minLength", isCount],
  ["maxLength", isCount],
  ["minItems", isCount],
  ["maxItems", isCount],
  ["minProperties", isCount],
  ["maxProperties", isCount],
]);

/**
 * True when a schema is made of common keywords in their common form. It is then valid by the meta-schema of every
 * draft, which takes some 30 ms to compile and is asked about all others only.
 */
export function isObviouslyValidSchema(schema: unknown): boolean {
  if (typeof schema === "boolean") return true;
  if (!isRecord(schema)) return false;
  return Object.entries(schema).every(([keyword, value]) => keywords.get(keyword)?.(value) === true);
}

type Accepts = (value: unknown) => boolean;

/** What says nothing about a value. */
const notes: ReadonlySet<string> = new Set("$comment $schema default description examples readOnly title".split(" "));

const hasType: Readonly<Record<string, Accepts>> = {
  array: Array.isArray,
  boolean: isFlag,
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: isRecord,
  string: isText,
};

const ofNumber = (holds: (value: number, limit: number) => boolean) => (limit: unknown) => (value: unknown) =>
  typeof value !== "number" || holds(value, Number(limit));
/** A limit on the size of what `sizeOf` knows the size of. */
const ofSize =
  (sizeOf: (value: unknown) => number | null, holds: (size: number, limit: number) => boolean) =>
  (limit: unknown) =>
  (value: unknown) => {
    const size = sizeOf(value);
    return size === null || holds(size, Number(limit));
  };
const charactersOf = (value: unknown) => (typeof value === "string" ? countCharacters(value) : null);
const itemsOf = (value: unknown) => (Array.isArray(value) ? value.length : null);
const propertiesOf = (value: unknown) => (isRecord(value) ? Object.keys(value).length : null);
const atLeast = (value: number, limit: number): boolean => value >= limit;
const atMost = (value: number, limit: number): boolean => value <= limit;

/** By keyword: what values it accepts with this argument; null if that is ajv's to say. */
const checks: ReadonlyMap<string, (argument: unknown, schema: Record<string, unknown>) => Accepts | null> = new Map<
  string,
  (argument: unknown, schema: Record<string, unknown>) => Accepts | null
>([
  [
    "type",
    (type) => {
      const types = [type].flat().map((name) => hasType[String(name)]);
      return (value) => types.some((isOfType) => isOfType?.(value) === true);
    },
  ],
  ["enum", (choices) => (value) => Array.isArray(choices) && choices.includes(value)],
  ["const", (only) => (isCompound(only) ? null : (value) => value === only)],
  [
    "required",
    (names) => (value) =>
      !isRecord(value) ||
      (Array.isArray(names) &&
        names.map(String).every((name) => Object.hasOwn(value, name) && value[name] !== undefined)),
  ],
  [
    "properties",
    (schemas) => {
      const parts = Object.entries(isRecord(schemas) ? schemas : {});
      const members = parts.flatMap(([name, schema]) => {
        const accepts = name === "__proto__" ? null : plainCheckOf(schema);
        return accepts === null ? [] : [{ name, accepts }];
      });
      if (members.length < parts.length) return null;
      return (value) =>
        !isRecord(value) || members.every(({ name, accepts }) => value[name] === undefined || accepts(value[name]));
    },
  ],
  [
    "additionalProperties",
    (schema, { properties }) => {
      const known = new Set(Object.keys(isRecord(properties) ? properties : {}));
      const accepts = plainCheckOf(schema);
      if (accepts === null) return null;
      return (value) => {
        if (!isRecord(value)) return true;
        for (const name in value) if (!known.has(name) && !accepts(value[name])) return false;
        return true;
      };
    },
  ],
  [
    "items",
    (schema) => {
      const accepts = plainCheckOf(schema);
      return accepts === null ? null : (value) => !Array.isArray(value) || value.every(accepts);
    },
  ],
  ["allOf", (schemas) => branchesOf(schemas, (branches, value) => branches.every((accepts) => accepts(value)))],
  ["anyOf", (schemas) => branchesOf(schemas, (branches, value) => branches.some((accepts) => accepts(value)))],
  ["minimum", ofNumber(atLeast)],
  ["maximum", ofNumber(atMost)],
  ["exclusiveMinimum", ofNumber((value, limit) => value > limit)],
  ["exclusiveMaximum", ofNumber((value, limit) => value < limit)],
  [
    "pattern",
    (pattern) => {
      const compiled = compilePattern(String(pattern));
      return compiled.success ? (value) => typeof value !== "string" || compiled.data.test(value) : null;
    },
  ],
  ["minLength", ofSize(charactersOf, atLeast)],
  ["maxLength", ofSize(charactersOf, atMost)],
  ["minItems", ofSize(itemsOf, atLeast)],
  ["maxItems", ofSize(itemsOf, atMost)],
  ["minProperties", ofSize(propertiesOf, atLeast)],
  ["maxProperties", ofSize(propertiesOf, atMost)],
]);

/** Code points, as ajv counts them. */
function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}

function branchesOf(schemas: unknown, holds: (branches: readonly Accepts[], value: unknown) => boolean) {
  const branches = (Array.isArray(schemas) ? schemas : []).map(plainCheckOf);
  const known = branches.filter((accepts) => accepts !== null);
  return known.length < branches.length ? null : (value: unknown) => holds(known, value);
}

/**
 * Recognizes most valid values without ajv, which takes as long to load and to compile a schema as a small
 * run takes for everything else. Of an obviously valid schema; null if it has keywords that are ajv's alone. What it accepts
 * is valid; what it does not accept may be.
 */
export function plainCheckOf(schema: unknown): Accepts | null {
  if (typeof schema === "boolean") return () => schema;
  if (!isRecord(schema)) return null;
  const parts: Accepts[] = [];
  for (const [keyword, argument] of Object.entries(schema)) {
    if (notes.has(keyword)) continue;
    const part = checks.get(keyword)?.(argument, schema) ?? null;
    if (part === null) return null;
    parts.push(part);
  }
  return (value) => parts.every((accepts) => accepts(value));
}
