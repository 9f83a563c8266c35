import { isRecord, type JsonObject, type JsonValue } from "../values/json.js";

/** One schema that asks for what both ask for, as far as keys can be put together. */
export function mergeSchemas(one: JsonObject, other: JsonObject): JsonObject {
  const merged: JsonObject = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = merged[key];
    Object.defineProperty(merged, key, {
      value: before === undefined ? value : mergeKey(key, before, value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return merged;
}

function mergeKey(key: string, one: JsonValue, other: JsonValue): JsonValue {
  if (typeof one === "number" && typeof other === "number") {
    return key.startsWith("min") || key === "exclusiveMinimum" ? Math.max(one, other) : Math.min(one, other);
  }
  if (key === "required" && Array.isArray(one) && Array.isArray(other)) return [...new Set([...one, ...other])];
  if ((key === "enum" || key === "type") && (Array.isArray(one) || Array.isArray(other))) {
    const wanted = [other].flat();
    return [one].flat().filter((value) => wanted.some((also) => JSON.stringify(also) === JSON.stringify(value)));
  }
  if (key === "allOf" && Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  if (key === "properties" && isObject(one) && isObject(other)) {
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    return Object.fromEntries(names.map((name) => [name, bothOf(one[name], other[name])]));
  }
  if (["items", "additionalProperties", "contains", "propertyNames"].includes(key)) return bothOf(one, other);
  return other;
}

function bothOf(one: JsonValue | undefined, other: JsonValue | undefined): JsonValue {
  if (one === undefined || one === true) return other ?? true;
  if (other === undefined || other === true) return one;
  return isObject(one) && isObject(other) ? mergeSchemas(one, other) : false;
}

function isObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}
