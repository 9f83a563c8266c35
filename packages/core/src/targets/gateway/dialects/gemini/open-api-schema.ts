import { isRecord, type JsonObject, type JsonValue } from "../../../../values/json.js";
import * as z from "../../../../values/deferred-zod.js";
import { dropped, each, keysOf, type Rule } from "../translation-table.js";

const limits = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"] as const;
const plain = z.json().optional();

/** The keys of Google's schemas, a subset of those of OpenAPI 3.0. */
const keys = z.object({
  ...Object.fromEntries(limits.map((key) => [key, plain])),
  ...Object.fromEntries(
    "type nullable title description enum format pattern required default example minimum maximum anyOf items properties"
      .split(" ")
      .map((key) => [key, plain]),
  ),
});

/** What is lost of a schema on the way to JSON Schema. */
export const openApiTable: Rule = (value, path) =>
  keysOf(keys, {
    properties: (properties, at) =>
      isRecord(properties)
        ? Object.entries(properties).flatMap(([name, one]) => openApiTable(one, `${at}.${name}`))
        : [],
    items: openApiTable,
    anyOf: each(openApiTable),
    propertyOrdering: dropped("other APIs have no order of properties"),
  })(value, path);

/**
 * Google's schema as JSON Schema: its types are in upper case, its limits may be strings, as Google writes long integers, and
 * `nullable` stands for a second type.
 */
export function toJsonSchema(schema: JsonObject): JsonObject {
  const { nullable, propertyOrdering: _order, example, ...rest } = schema;
  const entries = Object.entries(rest).flatMap(([key, value]): readonly (readonly [string, JsonValue])[] => {
    if (key === "type") return typeOf(value);
    // It repeats that there is an `enum`.
    if (key === "format" && value === "enum") return [];
    if (limits.some((limit) => limit === key)) return [[key, Number(value)]];
    if (key === "items") return [[key, toInner(value)]];
    if (key === "anyOf") return [[key, Array.isArray(value) ? value.map(toInner) : value]];
    if (key !== "properties" || !isObject(value)) return [[key, value]];
    return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toInner(one)]))]];
  });
  const converted: JsonObject = Object.fromEntries(entries);
  const whole = example === undefined ? converted : { ...converted, examples: [example] };
  return nullable === true ? orNull(whole) : whole;
}

function typeOf(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (typeof value !== "string") return [["type", value]];
  return value === "TYPE_UNSPECIFIED" ? [] : [["type", value.toLowerCase()]];
}

function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf } = schema;
  return {
    ...schema,
    ...(type === undefined ? {} : { type: [type, "null"] }),
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: [...anyOf, { type: "null" }] } : {}),
  };
}

function toInner(value: JsonValue): JsonValue {
  return isObject(value) ? toJsonSchema(value) : value;
}

function isObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}
