import { isRecord } from "../values/json.js";

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
